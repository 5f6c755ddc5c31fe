import { type JsonObject, PROOF_TIERS, RISK_TIERS } from '@permitry/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluatePolicy } from './evaluate.ts';
import type { PolicyOutcome, PolicyRequest } from './outcome.ts';
import { parsePolicy } from './policy.ts';
import type { PolicyRule } from './policy-document.ts';
import { requirementCovers } from './stricter.ts';

const REQUEST: PolicyRequest = {
  action: 'payments.refund',
  params: { n: 10 },
  metadata: {},
  source: null,
  sourceType: 'service',
  riskTier: 'low',
  proofTier: 'none',
  agent: null,
  approvers: [],
  minApprovals: null,
  now: '2026-11-20T12:00:00.000Z',
};

const DEFAULT = { from: ['role:approver'], count: 2 };

function policyOf(rules: readonly PolicyRule[]) {
  const document = { name: 'p', default: { approvers: DEFAULT.from, min_approvals: DEFAULT.count }, rules };
  const parsed = parsePolicy(JSON.parse(JSON.stringify(document)) as JsonObject);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

function evaluate(rules: readonly PolicyRule[], change: Partial<PolicyRequest> = {}): PolicyOutcome {
  return evaluatePolicy(policyOf(rules), { ...REQUEST, ...change });
}

const allow: PolicyRule = { name: 'allow', match: { action: '*' }, effect: 'allow' };
const finance: PolicyRule = {
  name: 'finance',
  match: { action: '*' },
  effect: 'require_approval',
  require: [{ from: ['finance'], count: 1 }],
};

describe('policy requires approval by', () => {
  test('nobody, when a rule allows', () => {
    expect(evaluate([allow])).toMatchObject({ effect: 'allow', rule: 'allow', requirement: [] });
  });

  test('the default approvers, when nothing matches', () => {
    expect(evaluate([])).toMatchObject({ effect: 'require_approval', rule: null, requirement: [DEFAULT] });
  });

  test('every entry of every matching rule, each separately', () => {
    const twice: PolicyRule = {
      ...finance,
      name: 'a',
      require: [
        { from: ['finance'], count: 1 },
        { from: ['security'], count: 2 },
      ],
    };
    expect(evaluate([finance, allow, twice])).toMatchObject({
      effect: 'require_approval',
      rule: 'a',
      requirement: [
        { from: ['finance'], count: 1 },
        { from: ['security'], count: 2 },
        { from: ['finance'], count: 1 },
      ],
    });
  });

  test('the default approvers, when a rule names nobody, and the people that other rules name', () => {
    const asks: PolicyRule = { name: 'asks', match: { action: '*' }, effect: 'require_approval' };
    expect(evaluate([asks]).requirement).toEqual([DEFAULT]);
    expect(evaluate([asks, finance]).requirement).toEqual([DEFAULT, { from: ['finance'], count: 1 }]);
    expect(evaluate([asks], { approvers: ['ann@example.org'] }).requirement).toEqual([DEFAULT]);
  });

  test('the same people, whichever and however many the request names', () => {
    const own = { approvers: ['ann@example.org', 'ops'], minApprovals: 3 };
    expect(evaluate([finance], own).requirement).toEqual([{ from: ['finance'], count: 1 }]);
    expect(evaluate([], own).requirement).toEqual([DEFAULT]);
  });

  test('the default approvers, when a rule allows but the request names approvers or a number of them', () => {
    for (const own of [{ approvers: ['ann@example.org'] }, { minApprovals: 1 }]) {
      expect(evaluate([allow], own)).toMatchObject({
        effect: 'require_approval',
        rule: null,
        requirement: [DEFAULT],
      });
    }
  });

  test('nobody, when a rule denies', () => {
    const deny: PolicyRule = { name: 'deny', match: { action: '*' }, effect: 'deny', reason: 'No.' };
    expect(evaluate([deny, finance, allow], { approvers: ['ann@example.org'] })).toMatchObject({
      effect: 'deny',
      rule: 'deny',
      reason: 'No.',
      requirement: [],
    });
  });
});

describe('tiers and times', () => {
  test('tiers rise to the highest of the request and every matching rule', () => {
    const high: PolicyRule = { ...finance, risk_tier: 'high', proof_tier: 'session' };
    expect(evaluate([high])).toMatchObject({ riskTier: 'high', proofTier: 'session' });
    expect(evaluate([high], { riskTier: 'critical', proofTier: 'passkey' })).toMatchObject({
      riskTier: 'critical',
      proofTier: 'passkey',
    });
    expect(evaluate([{ ...high, when: 'false' }])).toMatchObject({ riskTier: 'low', proofTier: 'none' });
  });

  test('a proof tier requires a person, because a policy cannot prove that one is present', () => {
    for (const outcome of [
      evaluate([allow], { proofTier: 'session' }),
      evaluate([{ ...allow, proof_tier: 'passkey' }]),
    ]) {
      expect(outcome).toMatchObject({ effect: 'require_approval', rule: null, requirement: [DEFAULT] });
    }
  });

  test('the shortest times of the matching rules apply', () => {
    expect(
      evaluate([
        { ...finance, expires_in: 600, permit_ttl: 60 },
        { ...allow, expires_in: 900, permit_ttl: 30 },
        { ...allow, name: 'other', match: { action: 'other' }, expires_in: 1 },
      ]),
    ).toMatchObject({ expiresInSeconds: 600, permitTtlSeconds: 30 });
    expect(evaluate([finance])).toMatchObject({ expiresInSeconds: null, permitTtlSeconds: null });
  });

  test('rules see the tier of the request, not one that another rule raises', () => {
    const raises: PolicyRule = { ...finance, risk_tier: 'critical' };
    const denies: PolicyRule = { name: 'd', match: { risk_tier: 'critical' }, effect: 'deny' };
    expect(evaluate([raises, denies]).effect).toBe('require_approval');
    expect(evaluate([raises, denies], { riskTier: 'critical' }).effect).toBe('deny');
  });
});

describe('a condition that fails', () => {
  const failing = 'params.missing > 1';

  test('denies, requires approval and raises tiers, but does not allow', () => {
    const failures = [{ rule: 'a', message: '"params.missing" is absent' }];
    expect(evaluate([{ name: 'a', when: failing, effect: 'deny' }])).toMatchObject({
      effect: 'deny',
      failures,
    });
    expect(evaluate([{ ...finance, name: 'a', when: failing }, allow])).toMatchObject({
      effect: 'require_approval',
      rule: 'a',
      failures,
    });
    const raising: PolicyRule = { ...allow, name: 'a', when: failing, risk_tier: 'high' };
    expect(evaluate([raising])).toMatchObject({ effect: 'require_approval', rule: null, failures });
    expect(evaluate([raising, allow])).toMatchObject({ effect: 'allow', rule: 'allow', riskTier: 'high' });
  });

  test('is not evaluated if the rest of match does not hold', () => {
    const rule: PolicyRule = { name: 'a', match: { source_type: 'ci' }, when: failing, effect: 'deny' };
    expect(evaluate([rule])).toMatchObject({ effect: 'require_approval', failures: [] });
  });
});

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 0, maxLength: 6 });
const CONDITIONS = ['true', 'false', 'params.n > 5', 'params.missing', 'params.n', 'params.n % 2 == 0'];

function ruleNamed(name: string): fc.Arbitrary<PolicyRule> {
  const optional = { requiredKeys: [] };
  const group = fc.constantFrom('finance', 'security', 'ops');
  return fc
    .record({
      action: fc.constantFrom('*', 'payments.*', 'payments.refund', 'deploy', 'deploy|payments.p*'),
      effect: fc.constantFrom('allow' as const, 'require_approval' as const, 'deny' as const),
      require: fc.array(
        fc.record({ from: group.map((one) => [one]), count: fc.integer({ min: 1, max: 3 }) }),
        {
          minLength: 1,
          maxLength: 2,
        },
      ),
      named: fc.boolean(),
      more: fc.record(
        {
          when: fc.constantFrom(...CONDITIONS),
          risk_tier: fc.constantFrom(...RISK_TIERS),
          proof_tier: fc.constantFrom(...PROOF_TIERS),
          expires_in: fc.integer({ min: 1, max: 900 }),
          permit_ttl: fc.integer({ min: 10, max: 900 }),
        },
        optional,
      ),
    })
    .map(({ action, effect, require, named, more }) => ({
      name,
      match: { action },
      effect,
      ...(effect === 'require_approval' && named ? { require } : {}),
      ...more,
    }));
}

const rulesets = names.chain((all) => fc.tuple(...all.map(ruleNamed)));
const requests: fc.Arbitrary<PolicyRequest> = fc
  .record({
    action: fc.constantFrom('payments.refund', 'payments.payout', 'deploy', 'other'),
    params: fc.constantFrom<JsonObject>({}, { n: 4 }, { n: 9 }, { n: 'x' }, { missing: true }),
    riskTier: fc.constantFrom(...RISK_TIERS),
    proofTier: fc.constantFrom('none' as const, 'session' as const),
    approvers: fc.constantFrom([], [], ['ann@example.org']),
    minApprovals: fc.constantFrom(null, null, 1, 4),
  })
  .map((change) => ({ ...REQUEST, ...change }));

const STRICTNESS = ['allow', 'require_approval', 'deny'];

/** Compares everything except the names of approvers, because a rule that names people replaces the default. */
function isAtLeastAsStrict(one: PolicyOutcome, other: PolicyOutcome): boolean {
  const within = (mine: number | null, theirs: number | null) =>
    theirs === null || (mine !== null && mine <= theirs);
  return (
    STRICTNESS.indexOf(one.effect) >= STRICTNESS.indexOf(other.effect) &&
    RISK_TIERS.indexOf(one.riskTier) >= RISK_TIERS.indexOf(other.riskTier) &&
    PROOF_TIERS.indexOf(one.proofTier) >= PROOF_TIERS.indexOf(other.proofTier) &&
    within(one.expiresInSeconds, other.expiresInSeconds) &&
    within(one.permitTtlSeconds, other.permitTtlSeconds)
  );
}

describe('for any set of rules', () => {
  test('their order never matters', () => {
    const shuffled = rulesets.chain((rules) =>
      fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })),
    );
    fc.assert(
      fc.property(shuffled, requests, ([rules, others], request) => {
        expect(evaluate(others, request)).toEqual(evaluate(rules, request));
      }),
      { numRuns: 400 },
    );
  });

  test('a condition that fails is never less strict than the same condition true or false', () => {
    fc.assert(
      fc.property(rulesets, ruleNamed('~'), requests, (rules, rule, request) => {
        const outcomeWhen = (when: string) => evaluate([...rules, { ...rule, when }], request);
        const failed = outcomeWhen('params.nowhere == 1');
        for (const settled of [outcomeWhen('true'), outcomeWhen('false')]) {
          expect(isAtLeastAsStrict(failed, settled)).toBe(true);
        }
        if (rule.effect === 'require_approval' && failed.effect === 'require_approval') {
          expect(requirementCovers(failed.requirement, outcomeWhen('true').requirement)).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('an additional rule that denies never loosens anything', () => {
    fc.assert(
      fc.property(rulesets, ruleNamed('~'), requests, (rules, rule, request) => {
        const { require: _, ...denying } = { ...rule, effect: 'deny' as const };
        expect(isAtLeastAsStrict(evaluate([...rules, denying], request), evaluate(rules, request))).toBe(
          true,
        );
      }),
      { numRuns: 400 },
    );
  });

  test('a tier never falls below that of the request', () => {
    fc.assert(
      fc.property(rulesets, requests, (rules, request) => {
        const { riskTier, proofTier, effect } = evaluate(rules, request);
        expect(RISK_TIERS.indexOf(riskTier)).toBeGreaterThanOrEqual(RISK_TIERS.indexOf(request.riskTier));
        expect(PROOF_TIERS.indexOf(proofTier)).toBeGreaterThanOrEqual(PROOF_TIERS.indexOf(request.proofTier));
        if (proofTier !== 'none') expect(effect).not.toBe('allow');
      }),
      { numRuns: 400 },
    );
  });
});

describe('mandates', () => {
  const asks = (mandates: PolicyRule['mandates'], change: Partial<PolicyRule> = {}): PolicyRule => ({
    ...finance,
    name: JSON.stringify([mandates, change]),
    ...(mandates === undefined ? {} : { mandates }),
    ...change,
  });
  const ON = { isOn: true, maxDays: null };
  const OFF = { isOn: false };

  test.each<[string, PolicyRule[], object]>([
    ['are on where no rule says anything', [], ON],
    ['are on where a rule says nothing', [asks(undefined)], ON],
    ['are off as soon as one rule forbids them', [asks(true), asks(false)], OFF],
    [
      'last as many days as the strictest rule says',
      [asks({ max_days: 7 }), asks({ max_days: 3 }), asks(true)],
      { isOn: true, maxDays: 3 },
    ],
    ['need the word of the rule at high risk', [asks(undefined, { risk_tier: 'high' })], OFF],
    ['need the word of each rule at high risk', [asks(true, { risk_tier: 'high' }), asks(undefined)], OFF],
    [
      'are on at high risk if each rule says so',
      [asks(true, { risk_tier: 'critical' }), asks({ max_days: 1 })],
      { isOn: true, maxDays: 1 },
    ],
    ['need the word of the rule with a passkey', [asks(undefined, { proof_tier: 'passkey' })], OFF],
    ['need no word with a session', [asks(undefined, { proof_tier: 'session' })], ON],
    ['are off where policy allows', [allow], OFF],
    ['are off where policy denies', [{ name: 'no', match: { action: '*' }, effect: 'deny' }], OFF],
  ])('%s', (_, rules, mandates) => {
    expect(evaluate(rules).mandates).toEqual(mandates);
  });

  test('follow the default where it has a say', () => {
    const parsed = parsePolicy({
      name: 'p',
      default: { approvers: ['role:approver'], mandates: false },
      rules: [
        {
          name: 'own approvers',
          match: { action: 'a.*' },
          effect: 'require_approval',
          require: [{ from: ['finance'], count: 1 }],
        },
      ],
    });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const at = (action: string) => evaluatePolicy(parsed.policy, { ...REQUEST, action }).mandates;
    expect(at('b.c')).toEqual(OFF);
    expect(at('a.b')).toEqual(ON);
  });

  test.each([
    ['another form', { ...finance, mandates: { max_days: 0 } }, '/rules/0/mandates'],
    ['a rule that allows', { ...allow, mandates: true }, '/rules/0/mandates'],
  ])('are refused at their place in %s', (_, rule, path) => {
    const parsed = parsePolicy({
      name: 'p',
      default: { approvers: ['role:approver'] },
      rules: [rule as JsonObject],
    });
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.path)).toContain(path);
  });
});
