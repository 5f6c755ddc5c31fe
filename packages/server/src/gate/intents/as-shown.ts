/**
 * Owns the rule that people approve exactly what they were shown: an approval must name the hash of the shown request.
 */
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { Intent } from './intent.ts';

/** The members of a decision that tie it to what the person was shown. */
export interface DecisionAsShown {
  decision: 'approve' | 'deny';
  /** A completed proof session of the person, for this intent and this decision. The vote uses it up. */
  proofSessionId?: string;
  /** `intent_hash` of what the approver was shown. A person's approval must contain the hash (see `mustNameHash`). */
  intentHash?: string;
}

/**
 * Whether the decision must name `intent_hash`: an approval by a person present, or with their proof. Optional for
 * programs, and for a denial, which is harmless whatever was shown.
 */
export function mustNameHash(caller: Caller, { decision, proofSessionId }: DecisionAsShown): boolean {
  if (decision !== 'approve') return false;
  return caller.kind === 'session' || (caller.kind === 'user' && proofSessionId !== undefined);
}

/**
 * Ensures that people sign what they see (threat 23).
 *
 * @throws GateError `missing_fields`, and `conflict` when the hash is not this intent's
 */
export function assertAsShown(intent: Intent, caller: Caller, request: DecisionAsShown): void {
  const { intentHash: shown } = request;
  if (shown === intent.intentHash) return;
  if (shown !== undefined) {
    throw new GateError(
      'conflict',
      'This request no longer matches what you were shown. Nothing was decided. Reload it.',
      {},
    );
  }
  if (!mustNameHash(caller, request)) return;
  throw new GateError(
    'missing_fields',
    'An approval by a person must name intent_hash, the hash of the request they were shown. Nothing was decided.',
    { fields: [{ path: '/intent_hash', message: HASH_MISSING }] },
  );
}

export const HASH_MISSING = 'is required for an approval by a person';
