import type { ApprovalMethod, ProofTier } from '@permitry/protocol';
import { expect, it } from 'vitest';
import { tierReachedBy } from '../../src/gate/approvals/weigh-vote.ts';

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
