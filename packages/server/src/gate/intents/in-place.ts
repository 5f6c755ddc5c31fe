import { tierSuffices } from '../approvals/weigh-vote.ts';
import type { Intent } from './intent.ts';

/** Decided in a list, or with others: only what weighs little, and takes no more proof than being signed in. */
export function isDecidedInPlace({ riskTier, proofTier }: Pick<Intent, 'riskTier' | 'proofTier'>): boolean {
  return (riskTier === 'low' || riskTier === 'medium') && tierSuffices('session', proofTier);
}
