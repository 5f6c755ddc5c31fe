/** Texts of the page that an invitation leads to. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const title = 'You are invited';
export const lead = (inviter: ReactNode, email: ReactNode) => say`${inviter} invited ${email}.`;
export const loading = 'Invitation';

export const project = 'Project';
export const role = 'Role';
export const roles = {
  viewer: 'Viewer: sees requests and decisions',
  approver: 'Approver: approves and denies requests',
  admin: 'Admin: approves and denies, and manages agents, keys, members, groups and policy',
  owner: 'Owner: can do everything, and manages other owners',
} as const;

export const join = 'Join project';
export const signInToJoin = 'Sign in to join';
export const signsInAs = (current: ReactNode, email: ReactNode) =>
  say`You are signed in as ${current}. Joining signs you in as ${email} instead.`;
export const otherAccount = 'You are signed in with another account';
export const otherAccountLead = (email: ReactNode, current: ReactNode) =>
  say`This invitation is for ${email}, but you are signed in as ${current}. Sign out, open the link again, and sign in with the invited address.`;

export const dead = 'This invitation does not work';
export const deadLead =
  'The link is incomplete, has expired or was already used, or the invitation was revoked. Ask for a new one.';
export const goToInbox = 'Go to the inbox';
