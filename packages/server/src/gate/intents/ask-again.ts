import { type Caller, toActor } from '../access/caller.ts';
import { roleOf } from '../access/role-of.ts';
import { roleReaches } from '../access/scopes.ts';
import { findUnmeetable } from '../approvals/quorum.ts';
import { GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { millisecondsBetween } from '../instant.ts';
import { evaluatePolicy } from '../policy/evaluate.ts';
import type { Transaction } from '../ports.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { retryWhenStale, StaleReadError, settingsFor } from '../stale-read.ts';
import { alreadyResolved } from './decision-refusals.ts';
import type { IntentRequest } from './draft-intent.ts';
import { getIntent, isRequester } from './find-intent.ts';
import type { Intent } from './intent.ts';
import { recordDenied } from './intent-events.ts';
import type { IntentView } from './intent-view.ts';
import { findIntentAgent, toPolicyRequest } from './policy-request.ts';
import { identifyParty, type RequestingParty } from './requesting-party.ts';
import { denialOf, resolved } from './resolution.ts';
import { makeIntent, type Repetition } from './submit.ts';

export interface AskAgainRequest {
  intentId: string;
  /** Lifetime of the new intent; as long as that of the first, unless told. */
  expiresInSeconds?: number;
}

/**
 * Asks once more for what an expired intent asked for, in a new intent with the same action, parameters and metadata:
 * policy is asked anew, and people decide anew. One that still waits can be asked for again once an approver asked for
 * more time; it is given up for the new one. An intent is asked for again once; after that, the new one is.
 *
 * @throws GateError `intent_not_found`, `forbidden`, `intent_already_resolved`, `conflict`, and what making an intent
 * throws
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
  assertRepeatable(intent, await gate.storage.read.findAskedAgain(intent.id));
  const settings = await settingsFor(gate, caller, intent.projectId);
  const askedBy = caller.kind === 'session' ? caller.user.id : null;
  if (askedBy !== null) await assertOthersMayApprove(gate, settings, intent, askedBy);
  const repeats: Repetition = {
    of: intent,
    askedBy,
    settle: (tx) => giveUpFirst(gate, tx, caller, intent),
  };
  const party = await partyOf(gate, caller, intent, settings);
  return makeIntent(gate, caller, { request: toRequest(intent, request), party, settings, repeats });
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

/** Whether it can be asked for again at all; `again`: the intent in which it was. */
export function isRepeatable(intent: Intent, again: string | undefined): boolean {
  if (intent.erasedAt !== null || again !== undefined) return false;
  return intent.status === 'expired' || (intent.status === 'pending' && intent.extensionRequest !== null);
}

function assertRepeatable(intent: Intent, again: string | undefined): void {
  if (intent.status === 'approved' || intent.status === 'denied') throw alreadyResolved(intent.status);
  if (isRepeatable(intent, again)) return;
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

/** Who asks again does not decide (live mode): an intent that nobody else could approve would only expire again. */
async function assertOthersMayApprove(
  gate: Gate,
  settings: ProjectSettings,
  intent: Intent,
  askedBy: string,
): Promise<void> {
  if (settings.mode !== 'live') return;
  const agent = await findIntentAgent(settings, intent);
  const outcome = evaluatePolicy(settings.policy, toPolicyRequest(intent, agent, gate.clock.now()));
  if (findUnmeetable(outcome.requirement, settings.people.without(askedBy)).length === 0) return;
  throw new GateError(
    'forbidden',
    'In live mode nobody decides what they asked for again themselves, and nobody else could approve this. Let the requester ask again with its own key.',
    { required: 'separation_of_duties' },
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
    riskTier: intent.requestedRiskTier,
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
