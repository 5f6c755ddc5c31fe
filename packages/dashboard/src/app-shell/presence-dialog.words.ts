/** Texts of the dialog that asks people for a fresh proof of presence. */

export const title = 'Confirm it’s you';
export const lead =
  'This change lasts beyond your session, so it needs your confirmation. You won’t be asked again for 15 minutes.';
export const password = 'Your password';
export const passwordMissing = 'Enter your password.';
export const passwordWrong = 'Wrong password.';
export const withPasskey = 'Use a passkey';
export const confirm = 'Confirm';

export const neither = {
  title: 'You have no password or passkey here',
  lead: 'Sign out, then sign in again with your provider. That confirms it’s you for 15 minutes. Within that time you can set a password. From then on, you confirm changes with it, including those for which signing in isn’t enough.',
} as const;
export const goToSecurity = 'Go to account security';
