/** How votes move an intent and how it ends, as data: what storage writes and what the intent is afterwards. Pure. */
import type { Approval } from '../approvals/approval.ts';
import type { Instant } from '../kernel/instant.ts';
import type { CountedApproval, Intent, Resolution, VoteProgress } from './intent.ts';
import type { IssuedTokens } from './issue-tokens.ts';

/** By the last approver needed; every place is filled. */
export function approvalOf(
  by: string,
  at: Instant,
  approvals: readonly CountedApproval[],
  slots: number,
  issued: IssuedTokens,
): Resolution {
  return {
    status: 'approved',
    at,
    by,
    reason: null,
    approvals,
    approvalsReceived: slots,
    approvalsRequired: slots,
    issued,
    deniedBy: null,
  };
}

/** By policy, or by the requester who withdraws; a person's names them in `deniedBy`, too. */
export function denialOf(intent: Intent, by: string, at: Instant, reason: string | null): Resolution {
  const { approvals, approvalsReceived, approvalsRequired } = intent;
  return {
    status: 'denied',
    at,
    by,
    reason,
    // Whoever turned an approval into this denial approves no more.
    approvals: approvals.filter((approval) => approval.by !== by),
    approvalsReceived,
    approvalsRequired,
    issued: null,
    deniedBy: null,
  };
}

/** The intent as its resolution leaves it. */
export function resolved(intent: Intent, resolution: Resolution): Intent {
  const { status, at, by, reason, approvals, approvalsReceived, approvalsRequired, issued } = resolution;
  return {
    ...intent,
    status,
    revision: intent.revision + 1,
    resolvedAt: at,
    resolvedBy: by,
    reason,
    approvals,
    approvalsReceived,
    approvalsRequired,
    ...(issued ? { ...issued, approvedBy: by, approvedAt: at } : {}),
  };
}

/** The intent as a vote leaves it that others must follow. */
export function voted(intent: Intent, { received, required, approvals }: VoteProgress): Intent {
  return {
    ...intent,
    revision: intent.revision + 1,
    approvalsReceived: received,
    approvalsRequired: required,
    approvals,
  };
}

/** Of approvals, what the intent tells of them. */
export function toCounted(approvals: readonly Approval[]): CountedApproval[] {
  return approvals.map(({ by, at, method }) => ({ by, at, method }));
}
