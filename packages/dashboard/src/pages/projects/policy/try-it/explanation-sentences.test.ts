import { describe, expect, test } from 'vitest';
import type { PolicyExplanation } from '../wire.ts';
import { sayResult, whyOutcome } from './explanation-sentences.ts';

type RuleResult = PolicyExplanation['rules'][number];

const RULE: RuleResult = {
  rule: 'a',
  effect: 'allow',
  verdict: 'matched',
  because: null,
  failure: null,
  part: 'decides',
};

function why(
  effect: PolicyExplanation['outcome']['effect'],
  rules: Partial<RuleResult>[],
  personFor: PolicyExplanation['person_for'] = null,
): string {
  const outcome = { effect } as PolicyExplanation['outcome'];
  const all = rules.map((rule) => ({ ...RULE, ...rule }));
  return whyOutcome({ outcome, rules: all, person_for: personFor } as PolicyExplanation);
}

test('the result of one rule says whether it matches, which part differs, or what its error means', () => {
  expect(sayResult(RULE)).toBe('Matches');
  expect(sayResult({ ...RULE, verdict: 'not_matched', because: 'action' })).toBe('Different action');
  const failed = { verdict: 'failed' as const, failure: '"params.x" is absent' };
  expect(sayResult({ ...RULE, ...failed })).toMatch(
    /"params\.x" is absent\. .*does not apply, because an allow rule applies only if its condition is true\.$/,
  );
  expect(sayResult({ ...RULE, ...failed, effect: 'deny' })).toMatch(
    /rule applies, because an error can only make the decision stricter\.$/,
  );
});

describe('the reason for the outcome', () => {
  test.each([
    ['“a” allows it, and no rule denies it or requires approval.', why('allow', [{}])],
    [
      '“a” and “b” allow it, and no rule denies it or requires approval.',
      why('allow', [{}, { rule: 'b', part: 'adds' }]),
    ],
    ['“a” denies it.', why('deny', [{}, { rule: 'b', part: 'nothing' }])],
    [
      '“a” denies it, which overrides every other effect.',
      why('deny', [{}, { rule: 'b', part: 'outweighed' }]),
    ],
    ['“a” requires approval.', why('require_approval', [{}])],
    [
      '“a”, “b” and “c” require approval, which overrides rules that allow.',
      why('require_approval', [
        {},
        { rule: 'b', part: 'adds' },
        { rule: 'c', part: 'adds' },
        { rule: 'd', part: 'outweighed' },
      ]),
    ],
    ['No rule matches, so the default requires approval.', why('require_approval', [{ part: 'nothing' }])],
    [
      'A rule allows it, but the required proof of presence needs a person.',
      why('require_approval', [{ part: 'outweighed' }], 'proof_tier'),
    ],
    [
      'A rule allows it, but the request itself names approvers or a number of approvals.',
      why('require_approval', [{ part: 'outweighed' }], 'approvers'),
    ],
  ])('reads: %s', (expected, reason) => {
    expect(reason).toBe(expected);
  });
});
