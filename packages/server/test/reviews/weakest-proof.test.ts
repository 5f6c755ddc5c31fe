import { type ApprovalMethod, PROOF_TIERS, type ProofTier } from '@permitry/protocol';
import { expect, it } from 'vitest';
import { tierReachedBy, tierSuffices } from '../../src/gate/approvals/weigh-vote.ts';

const CASES: [methods: ApprovalMethod[], reached: ProofTier][] = [
  [['passkey'], 'passkey'],
  [['passkey', 'passkey'], 'passkey'],
  [['device', 'passkey'], 'device'],
  [['passkey', 'device'], 'device'],
  [['session', 'passkey', 'device'], 'session'],
  [['token', 'passkey'], 'none'],
  [['passkey', 'key'], 'none'],
  [['policy'], 'none'],
  [[], 'none'],
];

it.each(CASES)('approvals by %j reach %s', (methods, reached) => {
  expect(tierReachedBy(methods.map((method) => ({ method })))).toBe(reached);
});

it('a tier suffices for itself and those below it, and for nothing that is no tier', () => {
  for (const [place, tier] of PROOF_TIERS.entries()) {
    expect(PROOF_TIERS.filter((asked) => tierSuffices(tier, asked))).toEqual(PROOF_TIERS.slice(0, place + 1));
    expect(tierSuffices(tier, 'blood' as ProofTier)).toBe(false);
  }
});
