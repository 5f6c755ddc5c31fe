/**
 * How votes change an intent, and how an intent ends, as data: what the storage writes and the resulting intent. Pure.
 */
import type { Approval } from '../approvals/approval.ts';
import type { Instant } from '../kernel/instant.ts';
import type { CountedApproval, Intent, Resolution, VoteProgress } from './intent.ts';
import type { IssuedTokens } from './issue-tokens.ts';

/** The resolution by the last approval needed. Every slot is filled. */
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

/**
 * A denial by the policy, by the requester who withdraws, or by a person. For a person, the caller also sets
 * `deniedBy`.
 */
export function denialOf(intent: Intent, by: string, at: Instant, reason: string | null): Resolution {
  const { approvals, approvalsReceived, approvalsRequired } = intent;
  return {
    status: 'denied',
    at,
    by,
    reason,
    // A person who turns their approval into this denial no longer approves.
    approvals: approvals.filter((approval) => approval.by !== by),
    approvalsReceived,
    approvalsRequired,
    issued: null,
    deniedBy: null,
  };
}

/** The intent after its resolution. */
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

/** The intent after a vote that leaves it pending. */
export function voted(intent: Intent, { received, required, approvals }: VoteProgress): Intent {
  return {
    ...intent,
    revision: intent.revision + 1,
    approvalsReceived: received,
    approvalsRequired: required,
    approvals,
  };
}

/** The members of approvals that the intent shows. */
export function toCounted(approvals: readonly Approval[]): CountedApproval[] {
  return approvals.map(({ by, at, method }) => ({ by, at, method }));
}
