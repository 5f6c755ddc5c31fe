/** Texts of the password reset. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const title = 'Reset your password';
export const lead = 'The gate emails you a link to choose a new password. Your passkeys keep working.';
export const send = 'Send link';

export const sent = 'Check your email';
export const sentTo = (email: ReactNode) =>
  say`If ${email} can sign in here, an email with a link is on its way. The link works once, within 30 minutes.`;
export const noEmail = 'No email? Check your spam folder, or ask the operator of this gate.';
export const otherAddress = 'Use another address';

export const noMail = 'This gate can’t send email. Ask its operator for a link to choose a new password.';
export const passkeysWork = 'Your passkeys keep working.';

export const choose = 'Choose a new password';
export const chooseLead = 'This ends all your sessions, on every device.';
export const change = 'Change password';
export const changed = 'Password changed. All your sessions have ended. Sign in with the new password.';

export const deadLinkLead = 'It has expired or was already used. Get a new one.';
export const getNewLink = 'Get a new link';
