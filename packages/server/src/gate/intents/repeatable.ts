/** When a request may be resubmitted, and by whom. */
import type { Caller } from '../access/caller.ts';
import { roleOf } from '../access/role-of.ts';
import { roleReaches } from '../access/scopes.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import { alreadyResolved } from './decision-refusals.ts';
import { isRequester } from './find-intent.ts';
import type { Intent } from './intent.ts';

/**
 * Whether the caller may resubmit the intent: the requester itself, or a present person who answers for it. For an
 * agent without an owner, an admin. The person who resubmits does not decide.
 */
export function mayAskAgain(caller: Caller, intent: Intent): boolean {
  if (caller.kind !== 'session') return isRequester(caller, intent);
  const role = roleOf(caller, intent.projectId);
  if (role === undefined) return false;
  const { requester, askedBy } = intent;
  if (requester.ownerId === caller.user.id || askedBy === caller.user.id)
    return roleReaches(role, 'approver');
  return requester.type === 'agent' && requester.ownerId === null && roleReaches(role, 'admin');
}

/** Whether anyone can resubmit the intent at all. `again`: the intent that already resubmitted it. */
export function isRepeatable(intent: Intent, again: string | undefined, now: Instant): boolean {
  if (intent.erasedAt !== null || again !== undefined) return false;
  if (intent.status === 'pending') return intent.extensionRequest !== null;
  return intent.status === 'expired' || cameToNothing(intent, now);
}

/** Approved, but this approval can no longer be used: the action failed, or nobody used the permit in time. */
function cameToNothing(
  { status, consumedAt, outcome, revokedAt, expiresAt, permit }: Intent,
  now: Instant,
): boolean {
  // A person revoked the approval, and that decision is final.
  if (status !== 'approved' || revokedAt !== null) return false;
  if (consumedAt !== null) return outcome === 'failed';
  return expiresAt <= now && (permit === null || permit.expiresAt <= now);
}

/** @throws GateError `intent_already_resolved`, `conflict` */
export function assertRepeatable(intent: Intent, again: string | undefined, now: Instant): void {
  if (isRepeatable(intent, again, now)) return;
  const isOver = cameToNothing(intent, now);
  if (intent.status === 'denied' || (intent.status === 'approved' && !isOver)) {
    throw alreadyResolved(intent.status);
  }
  if (again !== undefined) {
    throw new GateError('conflict', `This request was already resubmitted as ${again}.`, {});
  }
  throw new GateError(
    'conflict',
    intent.erasedAt === null
      ? 'This request is still pending. It can be resubmitted once it has expired.'
      : 'The texts of this request were erased. Create a new one.',
    {},
  );
}
