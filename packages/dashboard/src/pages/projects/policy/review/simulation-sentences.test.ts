import { expect, test } from 'vitest';
import { simulationSentences } from './simulation-sentences.ts';

const none = { allow: 0, require_approval: 0, deny: 0 };
const NOTHING = { allowed: none, approved: none, denied: none, expired: none, pending: none, refused: none };

test('a simulation is told by what people and policy did, the dangerous first', () => {
  const became = {
    ...NOTHING,
    allowed: { allow: 900, require_approval: 4, deny: 1 },
    approved: { allow: 1312, require_approval: 20, deny: 0 },
    denied: { allow: 2, require_approval: 5, deny: 0 },
  };
  expect(simulationSentences(became).map(({ tone, text }) => `${tone}: ${text}`)).toEqual([
    'loosens: would have allowed 2 that people denied',
    'loosens: would have allowed 1,312 that people approved',
    'tightens: would now ask for 4 that went through at once',
    'tightens: would deny 1 that went through at once',
  ]);
});

test('what stays as it was is not told', () => {
  const became = {
    ...NOTHING,
    allowed: { ...none, allow: 5 },
    approved: { ...none, require_approval: 3 },
    refused: { ...none, deny: 7 },
  };
  expect(simulationSentences(became)).toEqual([]);
});
