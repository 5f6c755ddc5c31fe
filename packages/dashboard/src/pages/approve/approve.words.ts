/** Texts of the page of one request. What appears after its end, or on demand, has modules of its own. */
import type { ReactNode } from 'react';
import { formatCount, formatLifetime } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';

export const request = 'Request';
export const decide = (action: string) => `Decide: ${action}`;
export const ended = (status: string, action: string) => `${status}: ${action}`;
export const statuses = {
  pending: 'Pending',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
} as const;
export const loading = 'Loading the request';
export const loadingChanges = 'Loading the changes';
export const loadFailed = 'The request could not be loaded';
export const shortcuts = 'Keyboard shortcuts';
export const keys = [
  ['a', 'Approve (asks to confirm)'],
  ['d', 'Deny, with a reason'],
  ['j', 'Next request, once this one is decided'],
  ['Esc', 'Go back'],
  ['?', 'Show this help'],
] as const;
export const parameters = 'Parameters';
export const changes = 'Changes since last approval';

export const leftToDecide = 'left to decide';
export const requestedThis = (requester: ReactNode, at: ReactNode) => say`${requester} requested this ${at}`;

export const requester = 'Requester';
export const requesterAgent = 'Agent';
export const requesterKey = 'Secret key';
export const requesterOnBehalfOf = 'On behalf of agent';
export const requesterAuthenticatedWith = 'Authenticated with';
export const requesterAgentKey = 'its agent key';
export const requesterSecretKey = 'its secret key';
export const requesterType = 'Self-reported type';
export const requesterTypes = {
  ai_agent: 'AI agent',
  service: 'service',
  ci: 'build pipeline',
  script: 'script',
  human: 'person',
  other: 'other',
} as const;
export const requesterRequested = 'Requested';
export const requesterResubmitted = 'resubmitted from an earlier request';
export const requesterExpires = 'Expires';
export const requesterExpired = 'Expired';
export const requesterExpiry = 'Expiry';
export const requesterPermit = 'Permit';
export const requesterPermitUse = (lifetimeSeconds: number) =>
  `single use, valid for ${formatLifetime(lifetimeSeconds)} after approval`;
export const requesterId = 'Request ID';
export const requesterIdWhat = 'the request ID';

export const approvals = 'Approvals';
export const noRule = 'No rule matches this action, so it needs review.';
export const requiredByRule = (rule: ReactNode) => say`The rule ${rule} requires approval`;
export const decidedByRule = (rule: ReactNode) => say`The rule ${rule} decided this`;
export const proofRequired = {
  session: 'sign-in required',
  device: 'device key or passkey required',
  passkey: 'passkey required',
} as const;
export const progressNumbers = (received: number, required: number) =>
  `${formatCount(received)} of ${formatCount(required)}`;
export const approvalsOf = (progress: ReactNode, proof: string | undefined) =>
  say`${progress} approvals${proof === undefined ? '' : ` · ${proof}`}. One denial denies the request.`;
export const approvedBy = (decider: ReactNode) => say`${decider} approved this request.`;
export const deniedBy = (decider: ReactNode) => say`${decider} denied this request.`;
export const approvedWord = 'approved';
export const deniedWord = 'denied';
export const you = '(you)';
export const approvedWith = {
  policy: 'by policy',
  key: 'with a secret key',
  token: 'with an access token',
  session: 'while signed in',
  device: 'with a device key',
  passkey: 'with a passkey',
} as const;
export const stillNeeded = 'Still needed';
export const approvalsFrom = (count: number, approvers: ReactNode) =>
  say`${formatCount(count)} from ${approvers}`;
export const nobodyCan = ': no current member can give it';
export const andMore = (count: number) => ` and ${formatCount(count)} more`;

export const panel = 'Decision';
export const expired = 'Expired without a decision. Nothing will run.';
export const approvalRecorded = 'Your approval was recorded.';
export const denialRecorded = 'Your denial was recorded.';
export const disconnected = 'The gate cannot be reached';
export const disconnectedConsequence =
  'This page may be out of date. You can decide as soon as the connection is back.';
export const approvers = (names: ReactNode) => say`Approvers: ${names}`;

export const askForTime = 'Ask for more time';
export const askedForTime = (by: ReactNode, at: ReactNode) =>
  say`${by} asked the requester for more time ${at}`;

export const newsRequirement = (progress: string) => `The required approvals have changed: ${progress}.`;
export const newsPolicy = 'The policy of this project changed while you had this request open.';
export const newsAskedForTime = (by: string) => `${by} asked the requester for more time.`;
export const newsNoLongerYours = 'You can no longer decide this.';
export const newsYouVoted = (verb: string, progress: string) =>
  `You ${verb} this in another window: ${progress}.`;
export const newsVoted = (who: string, verb: string, progress: string) =>
  `${who} ${verb} this while you had it open: ${progress}.`;
export const newsYouDecided = (verb: string) => `You ${verb} this in another window.`;
export const newsDecided = (who: string, verb: string) => `${who} ${verb} this while you had it open.`;
export const newsExpired = 'This request expired while you had it open.';
export const newsWithdrawn = 'The requester withdrew this while you had it open.';
export const newsRevoked = 'The approval was revoked. Its permit is refused.';
export const progress = (received: number, required: number) =>
  `${formatCount(received)} of ${formatCount(required)} approvals`;
export const someone = 'Someone';
export const policyRule = (name: string) => `The policy rule “${name}”`;
