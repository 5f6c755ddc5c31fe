import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { assertGoodStanding } from '../access/standing.ts';
import { findUnmeetable } from '../approvals/quorum.ts';
import { GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { Transaction } from '../ports.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { assertCurrent, retryWhenStale, settingsFor } from '../stale-read.ts';
import { draftIntent, type IntentRequest } from './draft-intent.ts';
import type { Intent } from './intent.ts';
import { recordApproved, recordCreated, recordDenied } from './intent-events.ts';
import { type IntentView, toIntentView } from './intent-view.ts';
import { issueTokens } from './issue-tokens.ts';
import { identifyParty, type RequestingParty } from './requesting-party.ts';

/**
 * Declares an action: policy answers at once (`approved` with permit and receipt, or `denied`) or people are asked
 * (`pending`). Refuses when the project is stopped, the agent is paused or revoked, or nobody could approve.
 */
export async function submitIntent(gate: Gate, caller: Caller, request: IntentRequest): Promise<IntentView> {
  return retryWhenStale(gate, caller, (current) => submitOnce(gate, current, request));
}

async function submitOnce(gate: Gate, caller: Caller, request: IntentRequest): Promise<IntentView> {
  if (caller.kind !== 'agent' && caller.kind !== 'secret') {
    throw new GateError('forbidden', 'Intents are created with an agent key or a secret key.', {
      required: 'intents:create',
    });
  }
  assertScope(caller, 'intents:create', caller.projectId);
  const settings = await settingsFor(gate, caller, caller.projectId);
  const party = await identifyParty(gate, caller, request);
  return makeIntent(gate, caller, { request, party, settings });
}

/** The intent that another one is asked for again in. */
export interface Repetition {
  of: Intent;
  /** The person who asks in the requester's place. */
  askedBy: string | null;
  /** In the transaction that makes the new one. */
  settle(tx: Transaction): Promise<void>;
}

/** One attempt to make an intent of a request, by whoever may: throws `StaleReadError` when something overtook it. */
export async function makeIntent(
  gate: Gate,
  caller: Caller,
  made: { request: IntentRequest; party: RequestingParty; settings: ProjectSettings; repeats?: Repetition },
): Promise<IntentView> {
  const { request, party, settings, repeats } = made;
  assertGoodStanding(settings, party.agent);
  const { intent: draft, outcome } = draftIntent(gate, request, party, settings);
  const intent = repeats ? { ...draft, askedAgainFrom: repeats.of.id, askedBy: repeats.askedBy } : draft;
  assertMeetable(outcome, settings);
  const born = await settleByPolicy(gate, intent, outcome, settings);
  return gate.storage.transaction(async (tx) => {
    await assertCurrent(gate, tx, caller, settings);
    await repeats?.settle(tx);
    await tx.insertIntent(born);
    await recordBirth(gate, tx, caller, born, outcome);
    tx.afterCommit(() => gate.shadows.observe(settings, born, party.agent, outcome));
    return toIntentView(gate, caller, born, party.agent?.status ?? null);
  });
}

/** An intent that nobody could ever approve is refused at once instead of being left to expire. */
function assertMeetable(outcome: PolicyOutcome, settings: ProjectSettings): void {
  if (outcome.effect !== 'require_approval') return;
  const approvers = findUnmeetable(outcome.requirement, settings.people);
  if (approvers.length === 0) return;
  const names = approvers.join(', ');
  throw new GateError(
    'approver_not_found',
    approvers.every((name) => settings.people.knows(name))
      ? `Too few people can give the approvals that this takes: fewer than it asks for are approvers among ${names}.`
      : `Nobody here goes by: ${names}. Name members by address, groups, or role:approver and the like.`,
    { approvers },
  );
}

async function settleByPolicy(
  gate: Gate,
  intent: Intent,
  outcome: PolicyOutcome,
  settings: ProjectSettings,
): Promise<Intent> {
  if (outcome.effect === 'require_approval') return intent;
  const by = `policy:${outcome.rule ?? 'default'}`;
  const resolved = { ...intent, revision: 1, resolvedAt: intent.createdAt, resolvedBy: by };
  if (outcome.effect === 'deny') return { ...resolved, status: 'denied', reason: outcome.reason };
  const approvals = [{ by, at: intent.createdAt, method: 'policy' as const }];
  const issued = await issueTokens(gate, intent, settings, approvals, intent.createdAt);
  return {
    ...resolved,
    ...issued,
    status: 'approved',
    approvedBy: by,
    approvedAt: intent.createdAt,
    approvals,
  };
}

async function recordBirth(
  gate: Gate,
  tx: Transaction,
  caller: Caller,
  intent: Intent,
  outcome: PolicyOutcome,
): Promise<void> {
  await recordCreated(gate, tx, caller, intent, outcome);
  if (intent.status === 'pending') return;
  const actor = { type: 'policy' as const, id: intent.policyHash, display: intent.resolvedBy ?? 'policy' };
  if (intent.status === 'approved') await recordApproved(gate, tx, intent, actor);
  else await recordDenied(gate, tx, intent, actor);
}
