/** Texts of the second step of a decision: the form that confirms it, and the reasons of a denial. */
import type { ReactNode } from 'react';
import { say } from '../ui/say.ts';

export const approveTitle = 'Approve this request?';
export const denyTitle = 'Deny this request?';
export const denyConsequence = 'This denies the request, even if others approved.';
export const goBack = 'Go back';
export const approve = (action: string, ordinal: string) => `Approve ${action}${ordinal}`;
export const deny = (action: string) => `Deny ${action}`;
export const parameters = 'Parameters of this request';
export const loading = 'Loading the request';
/** After the action and its risk. */
export const byIn = (requester: ReactNode, project: ReactNode) => say`by ${requester} in ${project}`;

export const reason = 'Reason (shown to the requester)';
export const noReason = 'None';
export const reasons = [
  'Not needed.',
  'The parameters are wrong.',
  'Not now. Resubmit later.',
  'Contact me first.',
] as const;
export const ownReason = 'In your own words';
