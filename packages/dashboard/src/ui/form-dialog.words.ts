/** Texts of the dialogs with a form or a question. */

export const cancel = 'Cancel';
export const typeToConfirm = (word: string) => `Type “${word}” to confirm`;
export const mistyped = (word: string) => `Type “${word}” to confirm.`;
