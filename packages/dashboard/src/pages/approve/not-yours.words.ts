/** Texts in place of a request that the reader can't see. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const title = 'Request not found';
export const notFound = 'Request not found, or you don’t have access to its project';
export const accessLost = 'You no longer have access to this request';
export const lead = 'Check that the link is complete.';
export const back = 'Back to inbox';
export const nextStep = (email: ReactNode) =>
  say`You are signed in as ${email}. If someone sent you this link, ask them for the name of the project. An owner or admin of that project can invite you.`;
