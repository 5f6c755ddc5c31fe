import { PROOF_TIERS, type ProofTier, RISK_TIERS, type RiskTier } from '@permitry/protocol';
import { expect, test } from 'vitest';
import { isDecidedInPlace } from './in-place.ts';

test('a list decides only requests of low or medium risk that need no more than a session', () => {
  const pairs = RISK_TIERS.flatMap((riskTier) => PROOF_TIERS.map((proofTier) => ({ riskTier, proofTier })));
  const inPlace = pairs.filter(isDecidedInPlace).map(({ riskTier, proofTier }) => `${riskTier} ${proofTier}`);
  expect(inPlace).toEqual(['low none', 'low session', 'medium none', 'medium session']);
});

test('a list decides no request with an unknown tier', () => {
  expect(isDecidedInPlace({ riskTier: 'dire' as RiskTier, proofTier: 'none' })).toBe(false);
  expect(isDecidedInPlace({ riskTier: 'low', proofTier: 'blood' as ProofTier })).toBe(false);
});
