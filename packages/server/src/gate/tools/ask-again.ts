import { type Caller, toActor } from '../access/caller.ts';
import { roleOf } from '../access/role-of.ts';
import { roleReaches } from '../access/scopes.ts';
import { alreadyResolved } from '../intents/decision-refusals.ts';
import type { IntentRequest } from '../intents/draft-intent.ts';
import { getIntent, isRequester } from '../intents/find-intent.ts';
import type { Intent } from '../intents/intent.ts';
import { recordDenied } from '../intents/intent-events.ts';
import type { IntentView } from '../intents/intent-view.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { identifyParty, type RequestingParty } from '../intents/requesting-party.ts';
import { denialOf, resolved } from '../intents/resolution.ts';
import { makeIntent, type Repetition } from '../intents/submit.ts';
import { GateError } from '../kernel/errors.ts';
import type { Gate } from '../kernel/gate.ts';
import { type Instant, millisecondsBetween } from '../kernel/instant.ts';
import type { Transaction } from '../kernel/ports.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import { retryWhenStale, StaleReadError, settingsFor } from '../project-settings/stale-read.ts';
import { repeatCall } from './repeat-call.ts';

export interface AskAgainRequest {
  intentId: string;
  /** Lifetime of the new intent; as long as that of the first, unless told. */
  expiresInSeconds?: number;
}

/**
 * Resubmits a request in a new intent with the same action, parameters and metadata: policy and people decide again.
 * The first one expired, or was approved and came to nothing: nobody used it in time, or its outcome is `failed`. A
 * pending one can be resubmitted once an approver asked for more time; it is withdrawn for the new one. An intent is
 * resubmitted once; after that, the new one is. A call of a tool goes along with it.
 *
 * @throws GateError `intent_not_found`, `forbidden`, `intent_already_resolved`, `conflict`, and what making an intent
 * throws; for the call of a tool `not_found`, `missing_fields` and `invalid_fields`
 */
export async function askAgain(gate: Gate, caller: Caller, request: AskAgainRequest): Promise<IntentView> {
  return retryWhenStale(gate, caller, (current) => askOnce(gate, current, request));
}

async function askOnce(gate: Gate, caller: Caller, request: AskAgainRequest): Promise<IntentView> {
  const intent = await getIntent(gate, caller, request.intentId);
  if (!mayAskAgain(caller, intent)) {
    throw new GateError('forbidden', 'Only the requester asks again, or the person who answers for it.', {
      required: 'requester',
    });
  }
  assertRepeatable(intent, await gate.storage.read.findAskedAgain(intent.id), gate.clock.now());
  const settings = await settingsFor(gate, caller, intent.projectId);
  const askedBy = caller.kind === 'session' ? caller.user.id : null;
  const repeats: Repetition = {
    of: intent,
    askedBy,
    settle: (tx) => giveUpFirst(gate, tx, caller, intent),
  };
  const party = await partyOf(gate, caller, intent, settings);
  const call = await repeatCall(gate, caller, intent);
  return makeIntent(gate, caller, {
    request: { ...toRequest(intent, request), ...(call ? { riskTier: call.riskTier } : {}) },
    party,
    settings,
    repeats,
    ...(call ? { attached: call.attached } : {}),
  });
}

/**
 * Whether the caller may ask for it again: the requester itself; a person, present, who answers for it; or, for an
 * agent whom nobody answers for, an administrator. Whoever asks does not decide.
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

/** Whether it can be resubmitted at all; `again`: the intent in which it was. */
export function isRepeatable(intent: Intent, again: string | undefined, now: Instant): boolean {
  if (intent.erasedAt !== null || again !== undefined) return false;
  if (intent.status === 'pending') return intent.extensionRequest !== null;
  return intent.status === 'expired' || cameToNothing(intent, now);
}

/** Approved, and it cannot be carried out on this approval any more: it failed, or nobody used it in time. */
function cameToNothing(
  { status, consumedAt, outcome, revokedAt, expiresAt, permit }: Intent,
  now: Instant,
): boolean {
  // A person took it back: that is their answer.
  if (status !== 'approved' || revokedAt !== null) return false;
  if (consumedAt !== null) return outcome === 'failed';
  return expiresAt <= now && (permit === null || permit.expiresAt <= now);
}

function assertRepeatable(intent: Intent, again: string | undefined, now: Instant): void {
  if (isRepeatable(intent, again, now)) return;
  const isOver = cameToNothing(intent, now);
  if (intent.status === 'denied' || (intent.status === 'approved' && !isOver)) {
    throw alreadyResolved(intent.status);
  }
  if (again !== undefined) {
    throw new GateError('conflict', `This intent was asked for again already, as ${again}.`, {});
  }
  throw new GateError(
    'conflict',
    intent.erasedAt === null
      ? 'This intent still waits for a decision; it can be asked for again once it has expired.'
      : 'The texts of this intent were erased; make a new one.',
    {},
  );
}

/** The requester stays who it was, so that it can collect the permit, whoever asks in its place. */
async function partyOf(
  gate: Gate,
  caller: Caller,
  intent: Intent,
  settings: ProjectSettings,
): Promise<RequestingParty> {
  const { sourceType, source, requester } = intent;
  if (caller.kind === 'agent') return identifyParty(gate, caller, { sourceType });
  if (caller.kind === 'secret') {
    return identifyParty(gate, caller, { sourceType, ...(source === null ? {} : { source }) });
  }
  return { requester, agent: await findIntentAgent(settings, intent), source, sourceType };
}

function toRequest(intent: Intent, { expiresInSeconds }: AskAgainRequest): IntentRequest {
  const lifetimeSeconds = Math.round(millisecondsBetween(intent.createdAt, intent.expiresAt) / 1000);
  return {
    action: intent.action,
    params: intent.params,
    metadata: intent.metadata,
    ...(intent.riskRated ? { riskTier: intent.requestedRiskTier } : {}),
    proofTier: intent.requestedProofTier,
    ...(intent.approvers.length === 0 ? {} : { approvers: intent.approvers }),
    ...(intent.minApprovals === null ? {} : { minApprovals: intent.minApprovals }),
    expiresInSeconds: expiresInSeconds ?? lifetimeSeconds,
  };
}

/** Two that ask for the same are never open at once, and none is asked for again twice. */
async function giveUpFirst(gate: Gate, tx: Transaction, caller: Caller, intent: Intent): Promise<void> {
  if ((await tx.findAskedAgain(intent.id)) !== undefined) throw new StaleReadError();
  if (intent.status !== 'pending') return;
  const actor = toActor(caller);
  const resolution = denialOf(intent, actor.id, gate.clock.now(), 'withdrawn');
  if (!(await tx.resolveIntent(intent.id, intent.revision, resolution))) throw new StaleReadError();
  await recordDenied(gate, tx, resolved(intent, resolution), actor);
  tx.afterCommit(() => gate.wakeups.wake(intent.id));
}
