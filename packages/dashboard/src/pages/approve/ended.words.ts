/** Texts of a request that has ended: its end, its permit and its receipt. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const expired = (at: ReactNode) => say`Expired without a decision ${at}. Nothing will run.`;
export const withdrawn = (requester: ReactNode, at: ReactNode) =>
  say`${requester} withdrew it ${at}. Nothing will run.`;
export const approvedBy = (status: ReactNode, by: ReactNode, at: ReactNode) =>
  say`${status} by ${by}, ${at}.`;
export const deniedBy = (status: ReactNode, by: ReactNode, at: ReactNode) =>
  say`${status} by ${by}, ${at}. Nothing will run.`;
export const reason = (text: ReactNode) => say`Reason: “${text}”`;

export const permit = {
  revoked: 'Revoked',
  revokedAt: (at: ReactNode) => say`The approval was revoked ${at}. Its permit is refused.`,
  ready: 'Not used yet',
  readyFor: (requester: ReactNode, time: ReactNode) =>
    say`Permit ready for ${requester} · expires in ${time}`,
  expired: 'Permit expired unused',
  renewable: (time: ReactNode) =>
    say`The requester can still get a new permit for the same approval. Time left: ${time}`,
  nothingRuns: 'Nothing will run.',
  used: 'Used',
  usedAt: (at: ReactNode) => say`The permit was used ${at}, once.`,
  noOutcome: 'No outcome was reported yet.',
  outcome: {
    succeeded: 'The executor reported success.',
    failed: 'The executor reported a failure.',
    unknown: 'The executor reported that the outcome is unknown.',
  },
} as const;

export const next = (action: string) => `Next: ${action}`;
export const backTo = (page: string) => `Back to ${page.toLowerCase()}`;

export const resubmittedAs = (link: ReactNode) => say`Resubmitted: ${link}.`;
export const viewNewRequest = 'view the new request';
export const onlyRequesterResubmits = (requester: ReactNode) =>
  say`Only the requester can resubmit this: ${requester} with its own key, or the person who owns it.`;

export const receipt = {
  title: 'Receipt',
  about: 'Signed record of this approval. It doesn’t authorise anything.',
  aboutWith: (status: string) => `Signed record of this approval (${status}). It doesn’t authorise anything.`,
  download: 'Download receipt',
  verifyOffline: 'Verify offline',
  command: (file: string) => `npx permitry receipt verify ${file} --approvers approver-keys.json`,
  approverKeys:
    'approver-keys.json: ask each approver for their key file (Account → Security). Only passkey and device-key approvals can be verified this way.',
} as const;
