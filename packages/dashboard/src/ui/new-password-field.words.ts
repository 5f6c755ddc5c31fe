/** Texts of the field for a new password. */

export const password = 'Password';
export const newPassword = 'New password';
export const passwordRule = (least: number) => `At least ${least} characters.`;
export const passwordNeeds = (missing: number) =>
  missing === 1 ? '1 more character needed.' : `${missing} more characters needed.`;
export const passwordFits = 'Long enough.';
export const passwordAdvice =
  'A few unrelated words are easy to remember and hard to guess. Digits and symbols are not required.';
