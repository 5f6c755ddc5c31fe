/** Texts of the sessions page. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const title = 'Active sessions';
export const lead =
  'Sessions end after 12 hours without use, and after 7 days. At most 20: the least recently used is signed out.';
export const current = 'This session';
export const methods: Readonly<Record<string, string>> = {
  password: 'password',
  totp: 'authenticator app',
  recovery_code: 'recovery code',
  passkey: 'passkey',
  oidc: 'your provider',
  link: 'one-time link',
};
export const signedInWith = (names: readonly string[]) => `with ${names.join(' and ')}`;
export const signedInFrom = (address: string, method: string) => `from ${address}, ${method}`;
export const signedIn = (at: ReactNode, last: ReactNode) => say`Signed in ${at}, last used ${last}`;

export const signOut = 'Sign out';
/** After `signOut`, for screen readers. */
export const sessionOf = (device: string) => `of the session in ${device}`;
export const signedOut = 'Session signed out.';

export const signOutOthers = 'Sign out everywhere else';
export const others = {
  title: 'Sign out everywhere else?',
  lead: 'You stay signed in here. Everywhere else, you have to sign in again.',
  confirm: 'Sign out other sessions',
  done: 'Signed out everywhere else.',
} as const;
