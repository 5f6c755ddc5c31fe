import { tierSuffices } from '../approvals/weigh-vote.ts';
import type { Intent } from './intent.ts';

/** Whether a list may decide it, alone or with others: only at low or medium risk, and when a session is proof enough. */
export function isDecidedInPlace({ riskTier, proofTier }: Pick<Intent, 'riskTier' | 'proofTier'>): boolean {
  return (riskTier === 'low' || riskTier === 'medium') && tierSuffices('session', proofTier);
}
