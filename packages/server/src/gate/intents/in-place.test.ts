import { PROOF_TIERS, type ProofTier, RISK_TIERS, type RiskTier } from '@permitry/protocol';
import { expect, test } from 'vitest';
import { isDecidedInPlace } from './in-place.ts';

test('only what weighs little and takes no more than a session is decided in a list', () => {
  const pairs = RISK_TIERS.flatMap((riskTier) => PROOF_TIERS.map((proofTier) => ({ riskTier, proofTier })));
  const inPlace = pairs.filter(isDecidedInPlace).map(({ riskTier, proofTier }) => `${riskTier} ${proofTier}`);
  expect(inPlace).toEqual(['low none', 'low session', 'medium none', 'medium session']);
});

test('nor is what has no tier of the scale', () => {
  expect(isDecidedInPlace({ riskTier: 'dire' as RiskTier, proofTier: 'none' })).toBe(false);
  expect(isDecidedInPlace({ riskTier: 'low', proofTier: 'blood' as ProofTier })).toBe(false);
});
