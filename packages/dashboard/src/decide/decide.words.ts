/**
 * Texts of the parts that show a request and take a decision. Parts that load on their own have their own modules, so
 * that a page loads only the texts that it shows.
 */
import type { ReactNode } from 'react';
import { formatCount, formatLifetime } from '../ui/format.ts';
import { say } from '../ui/say.ts';

export const approve = 'Approve';
export const approveOnce = 'Approve once';
export const approveWithPasskey = 'Approve with passkey';
export const deny = 'Deny';
/** For somebody who has already approved. */
export const denyInstead = 'Deny instead';
export const decisionFailed = 'Decision failed';
export const ordinal = (next: number, required: number) =>
  ` (${formatCount(next)} of ${formatCount(required)})`;

export const permitConsequence = (lifetimeSeconds: number) =>
  `Issues one permit: this exact action, once, within ${formatLifetime(lifetimeSeconds)} of your approval.`;
export const oneOfSeveralConsequence = (next: number, required: number) => {
  const others = required - next;
  return `This is approval ${formatCount(next)} of ${formatCount(required)}. ${formatCount(others)} more ${others === 1 ? 'is' : 'are'} needed before the action can run.`;
};

export const anOwner = 'an owner';
export const roleOrHigher = (role: string) => `an ${role} (or higher role)`;
export const or = ' or ';

export const addComment = 'Add a comment';
export const comment = 'Comment';
export const commentHint = 'Recorded in the audit log.';

export const parameters = 'Parameters';
export const formattedTab = (count: number) => `Formatted (${formatCount(count)})`;
export const canonicalTab = 'Canonical JSON';
export const hashesTab = 'Hashes';
export const hashesVerified = 'Hashes verified in your browser';
export const intentHash = 'the intent hash';

export const mismatch = 'Do not approve this request: it does not match its hash';
export const mismatchNotAnObject = 'The parameters are not a JSON object.';
export const mismatchParameters = 'The parameters do not match their hash.';
export const mismatchWhole = 'The request as shown does not match its hash.';
export const mismatchConsequence =
  'It was changed on its way to your browser, or the gate has a fault. You can’t approve it here. Tell the operator of the gate.';
export const erased = 'The texts of this request were erased';
export const erasedLead =
  'Hashes, times and outcomes remain. The parameters and the explanation were deleted.';

export const unverifiedExplanation = 'Requester’s explanation (unverified)';
export const explanation = 'Requester’s explanation';
export const explanationWarning = (author: ReactNode) =>
  say`Written by ${author}. Nobody has verified it, and it does not change what will run.`;
export const ownName = (name: ReactNode) => say`Self-reported name: ${name}`;

export const sameAsLastTime = 'Same parameters as last time.';
export const sinceLastApproval = (changed: number, added: number, removed: number) => {
  const parts = [
    [changed, 'changed'],
    [added, 'new'],
    [removed, 'removed'],
  ] as const;
  const named = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  return `Since last approval: ${named.join(', ')}.`;
};
export const isNew = 'new';
export const isChanged = 'changed';
export const numberBefore = (before: number, difference: string) => `was ${before} last time (${difference})`;

export const warnings = 'Warnings';
export const viewThatRequest = 'View that request';
export const justNow = 'just now';
export const identicalApproved = (ago: string, use: string) =>
  `Identical to a request approved ${ago}, which ${use}.`;
export const notRunYet = 'has not run yet';
export const revokedBeforeRun = 'was revoked before it ran';
export const ran = 'has already run';
export const ranAndFailed = 'has already run and reported a failure';
export const ranWithUnknownOutcome = 'has already run with an unknown outcome';
export const identicalDenied = (by: string, ago: string) => `${by} denied an identical request ${ago}`;
export const hiddenIn = (isUnseen: boolean, isSuspect: boolean, values: number) => {
  const kind = !isUnseen ? 'Look-alike' : isSuspect ? 'Hidden and look-alike' : 'Hidden';
  return `${kind} characters in ${values === 1 ? '1 value' : `${formatCount(values)} values`}:`;
};
export const markedValues = (paths: ReactNode, more: number) =>
  say`${paths}${more > 0 && ` and ${formatCount(more)} more`}. They are marked.`;
export const collapsed = (count: number) =>
  count === 1
    ? '1 part of this request is collapsed and not shown.'
    : `${formatCount(count)} parts of this request are collapsed and not shown.`;
export const policyChanged = 'The policy changed after this was requested. The stricter of the two applies.';
export const projectStopped = 'This project is stopped. Nothing runs until it is started.';
export const agentHeld = (status: string) => `This agent is ${status}. Its permits are refused.`;
