/** Compares the outcomes of two policies for one request: the effect, or the terms under the same effect. */
import { PROOF_TIERS, RISK_TIERS } from '@permitry/protocol';
import { DEFAULT_PERMIT_TTL_SECONDS } from '../../intents/issue-tokens.ts';
import type { PolicyOutcome } from '../../policy/outcome.ts';
import { requirementCovers } from '../../policy/stricter.ts';

export type Effect = PolicyOutcome['effect'];

/** In ascending strictness. */
const EFFECTS: readonly Effect[] = ['allow', 'require_approval', 'deny'];

/** What may differ between two outcomes with the same effect. */
export const TERMS = ['requirement', 'risk_tier', 'proof_tier', 'expires_in', 'permit_ttl'] as const;
export type Term = (typeof TERMS)[number];

/** `mixed`: stricter in one term and looser in another, or requires other people. */
export type Direction = 'stricter' | 'looser' | 'mixed';

export interface OutcomeChange {
  direction: Direction;
  /** Empty if the effect itself changes. */
  terms: readonly Term[];
}

/**
 * Returns undefined if the requester and the approvers see no difference. A different rule or reason alone does not
 * count.
 *
 * @example compareOutcomes(evaluatePolicy(inForce, request), evaluatePolicy(draft, request))?.direction // 'looser'
 */
export function compareOutcomes(before: PolicyOutcome, after: PolicyOutcome): OutcomeChange | undefined {
  const byEffect = compareEffects(before.effect, after.effect);
  if (byEffect) return byEffect;
  // A denied request has no terms.
  if (before.effect === 'deny') return undefined;
  const changed = TERMS.map((term) => ({ term, direction: directionOf(term, before, after) })).filter(
    ({ direction }) => direction !== undefined,
  );
  const [first] = changed;
  if (!first?.direction) return undefined;
  const agreed = changed.every(({ direction }) => direction === first.direction);
  return { direction: agreed ? first.direction : 'mixed', terms: changed.map(({ term }) => term) };
}

export function compareEffects(before: Effect, after: Effect): OutcomeChange | undefined {
  if (before === after) return undefined;
  const stricter = EFFECTS.indexOf(after) > EFFECTS.indexOf(before);
  return { direction: stricter ? 'stricter' : 'looser', terms: [] };
}

function directionOf(term: Term, before: PolicyOutcome, after: PolicyOutcome): Direction | undefined {
  switch (term) {
    case 'requirement': {
      const asksNoMore = requirementCovers(before.requirement, after.requirement);
      const asksNoLess = requirementCovers(after.requirement, before.requirement);
      if (asksNoMore && asksNoLess) return undefined;
      return asksNoMore ? 'looser' : asksNoLess ? 'stricter' : 'mixed';
    }
    case 'risk_tier':
      return rising(RISK_TIERS.indexOf(before.riskTier), RISK_TIERS.indexOf(after.riskTier));
    case 'proof_tier':
      return rising(PROOF_TIERS.indexOf(before.proofTier), PROOF_TIERS.indexOf(after.proofTier));
    case 'expires_in':
      // Without a limit in the policy, the request may choose the longest expiry.
      return rising(
        -(before.expiresInSeconds ?? Number.POSITIVE_INFINITY),
        -(after.expiresInSeconds ?? Number.POSITIVE_INFINITY),
      );
    case 'permit_ttl':
      return rising(
        -(before.permitTtlSeconds ?? DEFAULT_PERMIT_TTL_SECONDS),
        -(after.permitTtlSeconds ?? DEFAULT_PERMIT_TTL_SECONDS),
      );
  }
}

function rising(before: number, after: number): Direction | undefined {
  if (before === after) return undefined;
  return after > before ? 'stricter' : 'looser';
}
