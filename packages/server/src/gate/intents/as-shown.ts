/** Owns the rule that a person approves what they were shown: their approval names its hash. */
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { Intent } from './intent.ts';

/** Of a decision, what tells whether it is about what was shown. */
export interface DecisionAsShown {
  decision: 'approve' | 'deny';
  /** A completed proof session of the person, for this intent and this decision; the vote spends it. */
  proofSessionId?: string;
  /** `intent_hash` of what the approver was shown. A person's approval names it (see `mustNameHash`). */
  intentHash?: string;
}

/**
 * Whether the decision has to name `intent_hash`: an approval by a person present, or with their proof. Programs may
 * leave it out, and so may a denial, which is right whatever was shown.
 */
export function mustNameHash(caller: Caller, { decision, proofSessionId }: DecisionAsShown): boolean {
  if (decision !== 'approve') return false;
  return caller.kind === 'session' || (caller.kind === 'user' && proofSessionId !== undefined);
}

/**
 * What people see is what they sign (threat 23).
 *
 * @throws GateError `missing_fields`, and `conflict` for the hash of something else
 */
export function assertAsShown(intent: Intent, caller: Caller, request: DecisionAsShown): void {
  const { intentHash: shown } = request;
  if (shown === intent.intentHash) return;
  if (shown !== undefined) {
    throw new GateError(
      'conflict',
      'This request is not the one you were shown. Nothing was decided. Load it again.',
      {},
    );
  }
  if (!mustNameHash(caller, request)) return;
  throw new GateError(
    'missing_fields',
    'An approval by a person names intent_hash, the hash of the request they were shown. Nothing was decided.',
    { fields: [{ path: '/intent_hash', message: HASH_MISSING }] },
  );
}

export const HASH_MISSING = 'is required for an approval by a person';
