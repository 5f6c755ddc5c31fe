import { expect, test } from 'vitest';
import { simulationSentences } from './simulation-sentences.ts';

const none = { allow: 0, require_approval: 0, deny: 0 };
const NOTHING = { allowed: none, approved: none, denied: none, expired: none, pending: none, refused: none };

test('a simulation is compared with what people and policy decided, the dangerous first', () => {
  const became = {
    ...NOTHING,
    allowed: { allow: 900, require_approval: 4, deny: 1 },
    approved: { allow: 1312, require_approval: 20, deny: 0 },
    denied: { allow: 2, require_approval: 5, deny: 0 },
  };
  expect(simulationSentences(became).map(({ tone, text }) => `${tone}: ${text}`)).toEqual([
    'loosens: Would allow 2 requests that people denied',
    'loosens: Would allow 1,312 requests that people approved',
    'tightens: Would require approval for 4 requests that policy allowed',
    'tightens: Would deny 1 request that policy allowed',
  ]);
});

test('decisions that stay the same are not mentioned', () => {
  const became = {
    ...NOTHING,
    allowed: { ...none, allow: 5 },
    approved: { ...none, require_approval: 3 },
    refused: { ...none, deny: 7 },
  };
  expect(simulationSentences(became)).toEqual([]);
});
