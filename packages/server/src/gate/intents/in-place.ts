import { tierSuffices } from '../approvals/weigh-vote.ts';
import type { Intent } from './intent.ts';

/**
 * Whether people may decide the intent in a list, alone or with others. Only at low or medium risk, and when a session
 * is enough proof.
 */
export function isDecidedInPlace({ riskTier, proofTier }: Pick<Intent, 'riskTier' | 'proofTier'>): boolean {
  return (riskTier === 'low' || riskTier === 'medium') && tierSuffices('session', proofTier);
}
