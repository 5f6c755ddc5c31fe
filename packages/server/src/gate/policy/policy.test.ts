import type { JsonObject, JsonValue } from '@permitry/protocol';
import { hashJson } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from './default-policy.ts';
import { parsePolicy } from './policy.ts';

function withRules(...rules: JsonValue[]): JsonObject {
  return { ...DEFAULT_POLICY, rules };
}

function problemsOf(document: JsonObject) {
  const parsed = parsePolicy(document);
  return parsed.ok ? [] : parsed.problems;
}

function warningsOf(document: JsonObject) {
  const parsed = parsePolicy(document);
  return parsed.ok ? parsed.warnings : ['refused'];
}

const rule = { name: 'a', match: { action: 'x' }, effect: 'deny' };

test('a policy is hashed unchanged, in canonical form', () => {
  const parsed = parsePolicy(DEFAULT_POLICY);
  expect(parsed).toMatchObject({ ok: true, warnings: [], policy: { hash: hashJson(DEFAULT_POLICY) } });
  const { rules, default: fallback, name } = DEFAULT_POLICY;
  expect(parsePolicy({ rules, name, default: fallback })).toMatchObject({
    policy: { hash: hashJson(DEFAULT_POLICY) },
  });
});

describe('every problem is reported at once, with its place', () => {
  test('for the shape of a policy', () => {
    const problems = problemsOf({
      name: '',
      extra: 1,
      default: { approvers: [] },
      rules: [
        { ...rule, effect: 'maybe', 'a/b': 1 },
        { match: { action: 5 }, effect: 'deny', permit_ttl: 9, expires_in: 2_592_001 },
        { ...rule, name: 'c\nd', match: {} },
      ],
    });
    expect(problems.map(({ path }) => path).toSorted()).toEqual([
      '/default/approvers',
      '/extra',
      '/name',
      '/rules/0/a~1b',
      '/rules/0/effect',
      '/rules/1/expires_in',
      '/rules/1/match/action',
      '/rules/1/name',
      '/rules/1/permit_ttl',
      '/rules/2/match',
      '/rules/2/name',
    ]);
    expect(problems.find(({ path }) => path === '/rules/0/effect')?.message).toBe(
      'Must be one of allow, require_approval, deny.',
    );
  });

  test('for the meaning of a policy', () => {
    const problems = problemsOf({
      ...DEFAULT_POLICY,
      default: { approvers: ['ann@example.org', 'Ann@example.org'], min_approvals: 2 },
      rules: [
        { ...rule, require: [{ from: ['finance'], count: 1 }] },
        { ...rule, match: { action: '*.drop', risk_tier: 'huge', source_type: ['ci', 'bot'] } },
        { name: 'b', effect: 'deny' },
        {
          name: 'c',
          effect: 'require_approval',
          when: 'true',
          require: [{ from: ['role:viewer'], count: 1 }],
        },
        { name: 'd', effect: 'allow', when: 'metadata.ok == 1 &&\n  parms.x' },
      ],
    });
    expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
      '/rules/0/require Only a rule with effect require_approval may have this.',
      '/rules/1/name Another rule is named "a".',
      expect.stringContaining('/rules/1/match/risk_tier "huge" is not one of'),
      expect.stringContaining('/rules/1/match/source_type "bot" is not one of'),
      expect.stringContaining('/rules/1/match/action "*.drop": a star is allowed only at the end.'),
      expect.stringContaining('/rules/2 A rule needs match or when'),
      '/rules/3/require/0/from/0 A role is role:approver, role:admin or role:owner.',
      '/rules/4/when line 2, column 3: Unknown variable: parms',
      expect.stringContaining('/rules/4/when An allow rule must not depend on metadata'),
      '/default/approvers This can never be met: 2 approvals, but only 1 person may give them.',
    ]);
  });
});

describe('the size of a policy', () => {
  const rules = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...rule, name: `r${index}` }));

  test('has a limit of 500 rules', () => {
    expect(problemsOf(withRules(...rules(500)))).toEqual([]);
    expect(problemsOf(withRules(...rules(501))).map(({ path }) => path)).toEqual(['/rules']);
  });

  test('has a limit of 128 KiB', () => {
    const reason = 'x'.repeat(500);
    const heavy = withRules(...rules(250).map((light) => ({ ...light, reason })));
    expect(problemsOf(heavy)).toEqual([{ path: '', message: expect.stringContaining('128 KiB') }]);
  });

  test.each([
    [{ ...rule, reason: 'x'.repeat(501) }, '/rules/0/reason'],
    [{ ...rule, when: 'true || '.repeat(250).concat('true') }, '/rules/0/when'],
    [{ ...rule, effect: 'require_approval', require: [] }, '/rules/0/require'],
    [
      { ...rule, effect: 'require_approval', require: [{ from: ['a'], count: 0 }] },
      '/rules/0/require/0/count',
    ],
    [
      { ...rule, effect: 'require_approval', require: [{ from: ['a'], count: 51 }] },
      '/rules/0/require/0/count',
    ],
    [
      { ...rule, effect: 'require_approval', require: [{ from: ['a'], count: 1.5 }] },
      '/rules/0/require/0/count',
    ],
    [
      { ...rule, effect: 'require_approval', require: [{ from: ['a', 'a'], count: 1 }] },
      '/rules/0/require/0/from',
    ],
    [{ ...rule, expires_in: 0 }, '/rules/0/expires_in'],
    [{ ...rule, permit_ttl: 3601 }, '/rules/0/permit_ttl'],
  ])('%j is refused', (candidate, path) => {
    expect(problemsOf(withRules(candidate)).map((problem) => problem.path)).toEqual([path]);
  });
});

describe('an allow rule may not depend on what the requester chooses', () => {
  test.each([
    [{ match: { action: 'x', source: 'trusted-bot' } }, '/rules/0/match/source'],
    [{ match: { action: 'x', source_type: 'human' } }, '/rules/0/match/source_type'],
    [{ match: { action: 'x' }, when: "source == 'trusted-bot'" }, '/rules/0/when'],
    [{ match: { action: 'x' }, when: "source_type == 'human'" }, '/rules/0/when'],
    [{ match: { action: 'x' }, when: 'metadata.approved == true' }, '/rules/0/when'],
    [{ match: { action: 'x' }, when: "params.a == 1 || ['x'].exists(s, s == source)" }, '/rules/0/when'],
    [{ match: { action: 'x' }, when: 'has(metadata.approved)' }, '/rules/0/when'],
  ])('%j', (members, path) => {
    const problems = problemsOf(withRules({ name: 'a', effect: 'allow', ...members }));
    expect(problems).toEqual([{ path, message: expect.stringMatching(/agent\.name or agent\.id/) }]);
    for (const effect of ['deny', 'require_approval']) {
      expect(problemsOf(withRules({ name: 'a', effect, ...members }))).toEqual([]);
    }
  });

  test('but may depend on a tier, or on nothing at all, with a warning', () => {
    expect(
      warningsOf(
        withRules(
          { name: 'a', effect: 'allow', match: { action: 'x', risk_tier: 'low' } },
          { name: 'b', effect: 'allow', match: { action: 'x' }, when: "risk_tier == 'low'" },
          { name: 'c', effect: 'allow', match: { action: 'x' }, proof_tier: 'passkey' },
          { name: 'd', effect: 'allow', match: { action: '*' } },
          {
            name: 'e',
            effect: 'allow',
            match: { action: 'x' },
            when: "agent.name == 'bot' && params.amount < 5",
          },
        ),
      ),
    ).toMatchObject([
      { path: '/rules/0/match/risk_tier' },
      { path: '/rules/1/when' },
      { path: '/rules/2/proof_tier' },
      { path: '/rules/3' },
    ]);
  });
});

test('five hundred conditions share the cost limit of a request, and each gets enough for a plain one', () => {
  const conditions = Array.from({ length: 500 }, (_, index) => ({
    name: `r${index}`,
    effect: 'deny',
    when: 'params.amount > 5',
  }));
  const parsed = parsePolicy(withRules(...conditions));
  expect(parsed).toMatchObject({ ok: true, policy: { unitsPerCondition: 2_000 } });
});
