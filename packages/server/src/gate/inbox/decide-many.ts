import type { SessionCaller } from '../access/caller.ts';
import { HASH_MISSING, mustNameHash } from '../intents/as-shown.ts';
import { decideIntent } from '../intents/decide.ts';
import { seesIntent } from '../intents/find-intent.ts';
import { isDecidedInPlace } from '../intents/in-place.ts';
import type { Intent } from '../intents/intent.ts';
import type { IntentView } from '../intents/intent-view.ts';
import { findOwnPage, type OwnPage, ownPageRefusal, wasApprovedOnce } from '../intents/own-page.ts';
import { type FieldProblem, GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import type { InboxDeps } from './inbox-deps.ts';

export interface OneOfMany {
  intentId: string;
  decision: 'approve' | 'deny';
  reason?: string;
  /** Hash of what the person was shown. An approval must name it. */
  intentHash?: string;
}

/** The result for one of the requests. */
export type DecidedOne = { intentId: string; view: IntentView } | { intentId: string; refusal: GateError };

const MOST_AT_ONCE = 100;

/**
 * Decides several requests of low or medium risk, each separately: its own vote, its own transaction, its own events. A
 * refused decision does not affect the others.
 * Refuses to approve a request that a list does not show whole and unmarked. Also refuses an action that people have
 * not approved in the project before. Also refuses a request if a person denied or approved an equal one lately,
 * including in this batch.
 *
 * @throws GateError and nothing is decided: `missing_fields` when an approval does not name the hash of what was shown.
 * `invalid_fields` when there are more than 100 decisions, or two for one request. The same when a request has a higher
 * risk than `medium` or requires more proof than a session.
 */
export async function decideMany(
  gate: InboxDeps,
  caller: SessionCaller,
  decisions: readonly OneOfMany[],
): Promise<DecidedOne[]> {
  if (decisions.length === 0 || decisions.length > MOST_AT_ONCE) {
    throw invalidFields({ path: '/decisions', message: `Must be 1 to ${MOST_AT_ONCE} decisions.` });
  }
  assertHashesNamed(caller, decisions);
  const [problem, ...others] = (
    await Promise.all(decisions.map((one, index) => problemOf(gate, caller, decisions, one, index)))
  ).flat();
  if (problem) throw invalidFields(problem, ...others);
  const approvedHere = new Set<string>();
  return Promise.all(decisions.map((one) => decideOne(gate, caller, one, approvedHere)));
}

/** Runs before any request is decided: a client that sends no hashes cannot have shown the requests. */
function assertHashesNamed(caller: SessionCaller, decisions: readonly OneOfMany[]): void {
  const fields = decisions.flatMap((one, index) =>
    one.intentHash === undefined && mustNameHash(caller, one)
      ? [{ path: `/decisions/${index}/intent_hash`, message: HASH_MISSING }]
      : [],
  );
  if (fields.length === 0) return;
  throw new GateError(
    'missing_fields',
    'Each approval must name intent_hash, the hash of the request that was shown. Nothing was decided.',
    { fields },
  );
}

async function problemOf(
  gate: Pick<InboxDeps, 'storage'>,
  caller: SessionCaller,
  decisions: readonly OneOfMany[],
  { intentId }: OneOfMany,
  index: number,
): Promise<FieldProblem[]> {
  const path = `/decisions/${index}/intent_id`;
  if (decisions.findIndex((other) => other.intentId === intentId) !== index) {
    return [{ path, message: 'Appears twice. Each request is decided once.' }];
  }
  const intent = await gate.storage.read.findIntent(intentId);
  // A request that this person cannot see is refused individually, in the same words as an unknown request.
  if (!intent || !seesIntent(caller, intent) || isDecidedInPlace(intent)) return [];
  return [
    {
      path,
      message: `Its risk is ${intent.riskTier} and its proof of presence is ${intent.proofTier}, so it must be decided on its own page.`,
    },
  ];
}

async function decideOne(
  gate: InboxDeps,
  caller: SessionCaller,
  one: OneOfMany,
  approvedHere: Set<string>,
): Promise<DecidedOne> {
  try {
    await assertShownInList(gate, caller, one, approvedHere);
    return { intentId: one.intentId, view: await decideIntent(gate, caller, { ...one, inList: true }) };
  } catch (error) {
    if (error instanceof GateError) return { intentId: one.intentId, refusal: error };
    throw error;
  }
}

/**
 * Nobody can approve a request in a list that does not show it whole and plain (threat 23). A denial is always safe.
 */
async function assertShownInList(
  gate: Pick<InboxDeps, 'clock' | 'storage'>,
  caller: SessionCaller,
  one: OneOfMany,
  approvedHere: Set<string>,
): Promise<void> {
  if (one.decision === 'deny') return;
  const intent = await gate.storage.read.findIntent(one.intentId);
  if (!intent || !seesIntent(caller, intent) || intent.status !== 'pending') return;
  const why = (await findOwnPage(intent, wasApprovedOnce(gate))) ?? findTwinHere(intent, approvedHere);
  if (why !== null) throw ownPageRefusal(why);
}

/** Of two identical requests in one batch, the second must be approved on its own page. */
function findTwinHere({ projectId, action, paramsHash }: Intent, approvedHere: Set<string>): OwnPage | null {
  const key = `${projectId} ${action} ${paramsHash}`;
  if (approvedHere.has(key)) return 'approved_lately';
  approvedHere.add(key);
  return null;
}
