import { type JsonObject, PROOF_TIERS, RISK_TIERS, SOURCE_TYPES } from '@permitry/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluatePolicy } from '../../src/gate/policy/evaluate.ts';
import type { PolicyRequest } from '../../src/gate/policy/outcome.ts';
import { parsePolicy } from '../../src/gate/policy/policy.ts';
import type { PolicyRule } from '../../src/gate/policy/policy-document.ts';
import {
  explainOutcome,
  type OutcomeExplanation,
} from '../../src/gate/policy-management/explanation/explain-outcome.ts';

const REQUEST: PolicyRequest = {
  action: 'payments.refund',
  params: { n: 10 },
  metadata: {},
  source: 'billing',
  sourceType: 'service',
  riskTier: 'low',
  proofTier: 'none',
  agent: null,
  approvers: [],
  minApprovals: null,
  now: '2026-11-20T12:00:00.000Z',
};

function policyOf(rules: readonly PolicyRule[]) {
  const document = { name: 'p', default: { approvers: ['role:approver'] }, rules };
  const parsed = parsePolicy(JSON.parse(JSON.stringify(document)) as JsonObject);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

function explain(rules: readonly PolicyRule[], change: Partial<PolicyRequest> = {}): OutcomeExplanation {
  return explainOutcome(policyOf(rules), { ...REQUEST, ...change });
}

describe('an explained rule', () => {
  const any = { action: '*' };
  const asks: PolicyRule = { name: 'asks', match: any, effect: 'require_approval' };
  const said = (rule: Partial<PolicyRule>) => {
    const [first] = explain([{ ...asks, ...rule }]).rules;
    return first?.verdict;
  };

  test('says that it matched, or which part did not', () => {
    expect(said({})).toEqual({ kind: 'matched' });
    expect(said({ match: { action: 'deploy' } })).toEqual({ kind: 'not_matched', because: 'action' });
    expect(said({ match: { ...any, risk_tier: 'high' } })).toEqual({
      kind: 'not_matched',
      because: 'risk_tier',
    });
    expect(said({ match: { ...any, source_type: 'ci' } })).toEqual({
      kind: 'not_matched',
      because: 'source_type',
    });
    expect(said({ match: { ...any, source: 'b*|deploy' } })).toEqual({ kind: 'matched' });
    expect(said({ match: { ...any, source: 'other' } })).toEqual({ kind: 'not_matched', because: 'source' });
    expect(said({ when: 'params.n > 10' })).toEqual({ kind: 'not_matched', because: 'condition' });
  });

  test('says why its condition failed, and skips the condition if the rest does not match', () => {
    const when = 'params.missing > 1';
    expect(said({ when })).toEqual({ kind: 'failed', message: '"params.missing" is absent' });
    expect(said({ when, match: { action: 'x' } })).toEqual({ kind: 'not_matched', because: 'action' });
  });
});

describe('an explained outcome', () => {
  const parts = ({ rules }: OutcomeExplanation) =>
    Object.fromEntries(rules.map(({ rule, part }) => [rule, part]));
  const any = { match: { action: '*' } };
  const allow: PolicyRule = { name: 'allow', ...any, effect: 'allow' };
  const b: PolicyRule = { name: 'b', ...any, effect: 'require_approval' };
  const a: PolicyRule = { ...b, name: 'a' };
  const deny: PolicyRule = { name: 'deny', ...any, effect: 'deny' };

  test('has one decisive rule, rules with the same effect that add to it, and overridden rules', () => {
    expect(parts(explain([allow]))).toEqual({ allow: 'decides' });
    expect(parts(explain([allow, b, a]))).toEqual({ allow: 'outweighed', b: 'adds', a: 'decides' });
    expect(parts(explain([allow, b, deny, a]))).toEqual({
      allow: 'outweighed',
      b: 'outweighed',
      deny: 'decides',
      a: 'outweighed',
    });
  });

  test('does not count an allow rule whose condition fails, but counts another one', () => {
    const when = 'params.missing';
    expect(parts(explain([{ ...allow, when }]))).toEqual({ allow: 'nothing' });
    expect(parts(explain([{ ...deny, when }, allow]))).toEqual({ deny: 'decides', allow: 'outweighed' });
  });

  test('may require a person although an allow rule matches', () => {
    expect(explain([allow]).personFor).toBeNull();
    expect(explain([allow], { proofTier: 'session' }).personFor).toBe('proof_tier');
    expect(explain([{ ...allow, proof_tier: 'passkey' }]).personFor).toBe('proof_tier');
    expect(explain([allow], { approvers: ['ann@example.org'] }).personFor).toBe('approvers');
    expect(explain([allow], { minApprovals: 2 }).personFor).toBe('approvers');
    expect(explain([allow, b], { minApprovals: 2 }).personFor).toBeNull();
    expect(explain([]).personFor).toBeNull();
  });
});

const CONDITIONS = ['true', 'false', 'params.n > 5', 'params.missing', 'params.n', "risk_tier == 'high'"];
const words = <T>(...all: readonly T[]) => fc.constantFrom(...all);
const rule = (name: string): fc.Arbitrary<PolicyRule> =>
  fc
    .record({
      effect: words('allow' as const, 'require_approval' as const, 'deny' as const),
      action: words('*', 'payments.*', 'payments.refund', 'deploy', 'deploy|payments.p*'),
      // Allow rules may not depend on these conditions.
      freely: fc.record(
        { source: words('*', 'b*', 'other'), source_type: words<string>(...SOURCE_TYPES) },
        { requiredKeys: [] },
      ),
      risk: fc.record({ risk_tier: words<string>('low', 'high|critical') }, { requiredKeys: [] }),
      more: fc.record(
        {
          when: words(...CONDITIONS),
          proof_tier: words(...PROOF_TIERS),
          require: fc.array(
            fc.record({ from: fc.constant('finance').map((one) => [one]), count: words(1, 2) }),
            {
              minLength: 1,
              maxLength: 2,
            },
          ),
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ effect, action, freely, risk, more: { require, ...more } }) => ({
      name,
      effect,
      match: { action, ...risk, ...(effect === 'allow' ? {} : freely) },
      ...(require && effect === 'require_approval' ? { require } : {}),
      ...more,
    }));
const rulesets = fc
  .uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 7 })
  .chain((names) => fc.tuple(...names.map(rule)));
const requests: fc.Arbitrary<PolicyRequest> = fc
  .record({
    action: words('payments.refund', 'payments.payout', 'deploy', 'other'),
    params: words<JsonObject>({}, { n: 4 }, { n: 9 }, { n: 'x' }, { missing: true }),
    source: words(null, 'billing', 'other'),
    sourceType: words(...SOURCE_TYPES),
    riskTier: words(...RISK_TIERS),
    proofTier: words('none' as const, 'session' as const),
    approvers: words([], [], ['ann@example.org']),
    minApprovals: words(null, null, 1),
  })
  .map((change) => ({ ...REQUEST, ...change }));

/** Recomputes the outcome from what each rule said. */
function concluded({ rules, personFor }: OutcomeExplanation): string {
  const counts = (effect: string) =>
    rules.some(
      ({ effect: own, verdict: { kind } }) =>
        own === effect && (kind === 'matched' || (kind === 'failed' && effect !== 'allow')),
    );
  if (counts('deny')) return 'deny';
  return counts('allow') && !counts('require_approval') && personFor === null ? 'allow' : 'require_approval';
}

describe('for any set of rules', () => {
  test('the explanation and the outcome agree', () => {
    fc.assert(
      fc.property(rulesets, requests, (rules, request) => {
        const policy = policyOf(rules);
        const explanation = explainOutcome(policy, request);
        const outcome = evaluatePolicy(policy, request);
        expect(explanation.outcome).toEqual(outcome);
        expect(concluded(explanation)).toBe(outcome.effect);
        expect(explanation.rules.map((told) => told.rule)).toEqual(rules.map(({ name }) => name));
        const decides = explanation.rules.filter(({ part }) => part === 'decides');
        expect(decides.map((told) => told.rule)).toEqual(outcome.rule === null ? [] : [outcome.rule]);
        const failed = explanation.rules.flatMap((told) =>
          told.verdict.kind === 'failed' ? [{ rule: told.rule, message: told.verdict.message }] : [],
        );
        expect(failed.toSorted((one, other) => (one.rule < other.rule ? -1 : 1))).toEqual(outcome.failures);
      }),
      { numRuns: 600 },
    );
  });
});
