/** Texts around a secret that is shown once. */

export const done = 'Done';
export const wasShown = (what: string) => `The ${what} was already shown`;
export const cannotShowAgain = 'It can’t be shown again.';
export const theSecret = (what: string) => `the ${what}`;
export const copySecret = (what: string) => `Copy ${what}`;
export const isSaved = (what: string) => `I’ve saved this ${what}`;
export const confirmSaved = (what: string) => `Confirm you’ve saved the ${what}.`;
export const confirmSavedBy = (what: string, copyTo: string) =>
  `Confirm you’ve saved the ${what}: it can’t be shown again. Copy it to ${copyTo}.`;
