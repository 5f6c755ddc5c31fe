/** Texts of the sign-in page. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const title = 'Sign in';
export const leadToRequest = 'Sign in to review this request.';
export const getInvited = 'New here? Ask an admin for an invitation.';
export const newGate = 'This gate is new';
export const createSetUpLink = (command: ReactNode) =>
  say`Nobody can sign in yet. Open the set-up link that the gate showed at its first start, or create a new one on its machine: ${command}`;

export const password = 'Password';
export const passwordMissing = 'Enter your password.';
export const forgotPassword = 'Forgot password?';
export const or = 'or';
export const withPasskey = 'Sign in with a passkey';
export const continueWith = (provider: string) => `Continue with ${provider}`;

/** By the error code in the URL after a failed return from a provider. */
export const providerProblems: Readonly<Record<string, string>> = {
  provider_unavailable: 'Your provider can’t be reached right now. Try again, or sign in another way.',
  provider_refused: 'Your provider did not sign you in. Try again, or sign in another way.',
  sign_in_expired: 'Signing in with your provider took too long. Try again.',
  email_not_verified: 'Your provider has not verified your email address, so you can’t sign in here with it.',
  unknown_person:
    'Nobody here has the email address that your provider gave. Ask an admin for an invitation.',
};

export const secondStep = 'One more step';
export const secondStepLead = 'Your account is protected by a second factor.';
export const code = 'Code from your authenticator app';
export const codeMissing = 'Enter the code.';
export const codeWrong =
  'Wrong code. A new code appears every 30 seconds, and each works once. Wait for the next one.';
export const recoveryCode = 'Recovery code';
export const recoveryCodeHint =
  'One of the ten codes that you saved when you set up the authenticator app. Each works once.';
export const recoveryCodeWrong = 'This recovery code is wrong or was already used.';
export const toApp = 'Use authenticator app';
export const toRecoveryCode = 'Use a recovery code';
export const secondStepExpired = 'This took too long, or there were too many attempts. Start over.';
export const startOver = 'Start over';
