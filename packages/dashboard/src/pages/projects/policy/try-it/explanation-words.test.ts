import { describe, expect, test } from 'vitest';
import type { PolicyExplanation } from '../wire.ts';
import { ruleSaid, whyOutcome } from './explanation-words.ts';

type Said = PolicyExplanation['rules'][number];

const RULE: Said = {
  rule: 'a',
  effect: 'allow',
  verdict: 'matched',
  because: null,
  failure: null,
  part: 'decides',
};

function why(
  effect: PolicyExplanation['outcome']['effect'],
  rules: Partial<Said>[],
  personFor: PolicyExplanation['person_for'] = null,
): string {
  const outcome = { effect } as PolicyExplanation['outcome'];
  const said = rules.map((rule) => ({ ...RULE, ...rule }));
  return whyOutcome({ outcome, rules: said, person_for: personFor } as PolicyExplanation);
}

test('what one rule said', () => {
  expect(ruleSaid(RULE)).toBe('It matches.');
  expect(ruleSaid({ ...RULE, verdict: 'not_matched', because: 'action' })).toBe('It is for other actions.');
  const failed = { verdict: 'failed' as const, failure: '"params.x" is absent' };
  expect(ruleSaid({ ...RULE, ...failed })).toMatch(/"params\.x" is absent\. .*allows nothing\.$/);
  expect(ruleSaid({ ...RULE, ...failed, effect: 'deny' })).toMatch(/only make things stricter\.$/);
});

describe('why', () => {
  test.each([
    ['“a” allows it, and no rule asks or denies.', why('allow', [{}])],
    ['“a” and “b” allow it, and no rule asks or denies.', why('allow', [{}, { rule: 'b', part: 'adds' }])],
    ['“a” denies it.', why('deny', [{}, { rule: 'b', part: 'nothing' }])],
    [
      '“a” denies it, and a denial weighs more than anything else.',
      why('deny', [{}, { rule: 'b', part: 'outweighed' }]),
    ],
    ['“a” asks for people.', why('require_approval', [{}])],
    [
      '“a”, “b” and “c” ask for people, which weighs more than a rule that allows.',
      why('require_approval', [
        {},
        { rule: 'b', part: 'adds' },
        { rule: 'c', part: 'adds' },
        { rule: 'd', part: 'outweighed' },
      ]),
    ],
    ['No rule speaks about it, so a person decides.', why('require_approval', [{ part: 'nothing' }])],
    [
      'A rule allows it, but the proof of presence that is asked for takes a person.',
      why('require_approval', [{ part: 'outweighed' }], 'proof_tier'),
    ],
    [
      'A rule allows it, but the request itself asks for approvers.',
      why('require_approval', [{ part: 'outweighed' }], 'approvers'),
    ],
  ])('%s', (expected, said) => {
    expect(said).toBe(expected);
  });
});
