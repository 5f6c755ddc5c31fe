import type { SessionCaller } from '../access/caller.ts';
import { type FieldProblem, GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { decideIntent } from '../intents/decide.ts';
import { seesIntent } from '../intents/find-intent.ts';
import type { IntentView } from '../intents/intent-view.ts';
import { invalidFields } from '../invalid-fields.ts';
import { isDecidedInPlace } from './in-place.ts';

export interface OneOfMany {
  intentId: string;
  decision: 'approve' | 'deny';
  reason?: string;
  /** Of what the person was shown; a decision about anything else is refused. */
  intentHash?: string;
}

/** What became of one of them. */
export type DecidedOne = { intentId: string; view: IntentView } | { intentId: string; refusal: GateError };

const MOST_AT_ONCE = 100;

/**
 * Decides several requests of little weight, each by itself: its own vote, its own transaction, its own events. One
 * that is refused changes nothing about the others.
 *
 * @throws GateError `invalid_fields`, and nothing is decided, when one of them weighs more than `medium` or takes more
 * proof than a session, when one is named twice, or when there are more than 100
 */
export async function decideMany(
  gate: Gate,
  caller: SessionCaller,
  decisions: readonly OneOfMany[],
): Promise<DecidedOne[]> {
  if (decisions.length === 0 || decisions.length > MOST_AT_ONCE) {
    throw invalidFields({ path: '/decisions', message: `Must be 1 to ${MOST_AT_ONCE} decisions.` });
  }
  const [problem, ...others] = (
    await Promise.all(decisions.map((one, index) => problemOf(gate, caller, decisions, one, index)))
  ).flat();
  if (problem) throw invalidFields(problem, ...others);
  return Promise.all(decisions.map((one) => decideOne(gate, caller, one)));
}

async function problemOf(
  gate: Gate,
  caller: SessionCaller,
  decisions: readonly OneOfMany[],
  { intentId }: OneOfMany,
  index: number,
): Promise<FieldProblem[]> {
  const path = `/decisions/${index}/intent_id`;
  if (decisions.findIndex((other) => other.intentId === intentId) !== index) {
    return [{ path, message: 'Stands here twice: a request is decided once.' }];
  }
  const intent = await gate.storage.read.findIntent(intentId);
  // What this person does not see is refused by itself, in the words for what there is not.
  if (!intent || !seesIntent(caller, intent) || isDecidedInPlace(intent)) return [];
  return [
    {
      path,
      message: `Its risk is ${intent.riskTier} and its proof tier ${intent.proofTier}: it is decided on its own page.`,
    },
  ];
}

async function decideOne(gate: Gate, caller: SessionCaller, one: OneOfMany): Promise<DecidedOne> {
  try {
    return { intentId: one.intentId, view: await decideIntent(gate, caller, one) };
  } catch (error) {
    if (error instanceof GateError) return { intentId: one.intentId, refusal: error };
    throw error;
  }
}
