/** Texts of the selected request next to the list. */
import type { ReactNode } from 'react';
import { formatCount } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';

export const request = (action: string) => `Request ${action}`;
export const loadingParameters = 'Loading the parameters';
export const loadingChanges = 'Loading the changes';
export const proofRequired = {
  device: 'device key or passkey required',
  passkey: 'passkey required',
} as const;
export const left = (time: ReactNode) => say`${time} left`;
export const parameters = 'Parameters';
export const changes = 'Changes since last approval';
export const reason = (text: ReactNode) => say`Reason: ${text}`;

export const requestedBy = 'Requested by';
export const project = 'Project';
export const rule = 'Rule';
export const approvedBy = 'Approved by';
export const stillNeeded = 'Still needed';
export const underName = (key: ReactNode, name: ReactNode) => say`${key} as ${name}`;
export const noRule = 'No matching rule: default applies';

export const moreApprovals = (count: number) =>
  `${formatCount(count)} more ${count === 1 ? 'approval' : 'approvals'}`;
export const from = (approvals: ReactNode, approvers: ReactNode) => say`${approvals} from ${approvers}`;
export const nobodyCan = 'No current member can give it.';
export const andMore = (count: number) => ` and ${formatCount(count)} more`;

export const review = 'Review';
export const open = 'Open';
