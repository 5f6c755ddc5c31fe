/** Texts that several pages share on which people enter: sign-in, set-up, invitation and password reset. */

export const email = 'Email address';
export const emailMissing = 'Enter your email address.';
export const name = 'Your name';
export const nameMissing = 'Enter the name that others will see.';
export const choosePassword = 'Choose a password.';

export const signIn = 'Sign in';
export const backToSignIn = 'Back to sign-in';
export const signOut = 'Sign out';

export const deadLink = 'This link does not work';
export const onGatesMachine = 'On the gate’s machine';
export const theCommand = 'the command';
