/**
 * Threat 12: the gate refuses slow, failing or non-boolean conditions when a policy is saved, or limits them at
 * evaluation. They can only make the outcome stricter.
 */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import { FAILING_CONDITIONS, FAILING_PARAMETERS, REFUSED_CONDITIONS } from '../tables/hostile-conditions.ts';

/** Generous: a condition that backtracks without limit takes minutes. */
const LONGEST_MS = 5000;

function outcomeOf(answer: Answer): string {
  if (answer.status === 201) return String(answer.body.status);
  const { code } = (answer.body.error ?? {}) as { code?: string };
  return code?.toLowerCase() === 'policy_violation' ? 'denied' : `answered with ${answer.status}`;
}

const WORST = 'a'.repeat(60_000);
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Conditions that cost too much and so count as failed: what is tried, the condition, and the parameters. */
const COSTLY: readonly (readonly [what: string, when: string, params: object])[] = [
  ['a pattern that backtracks elsewhere', "params.s.matches('^(a+)+$')", { s: `${WORST}!` }],
  ['alternatives that backtrack elsewhere', "params.s.matches('^(a|aa)+$')", { s: `${WORST}!` }],
  ['three stars', "params.s.matches('a*a*a*b')", { s: WORST }],
  ['a text of 100,000 letters', "params.s.matches('^b')", { s: 'a'.repeat(100_000) }],
  ['a walk over 5,000', 'params.a.all(x, x >= 0)', { a: numbers(5000) }],
  ['a walk of searches', "params.a.exists(x, params.s.contains('b'))", { a: numbers(900), s: WORST }],
  ['a long text in a long text', 'params.s.contains(params.t)', { s: `${WORST}b`, t: `${WORST}c` }],
  ['a split into 60,000', "params.s.split('a').size() > 1", { s: WORST }],
  ['lists compared deeply', 'params.a == params.b', { a: numbers(20_000), b: numbers(20_000) }],
];

export const HOSTILE_CONDITIONS: readonly CatalogueEntry[] = [
  {
    id: 'T12-refused-at-save',
    title: 'conditions that could never be afforded, or are none',
    threats: ['12'],
    aisvs: ['9.5.1'],
    attack:
      'A policy is saved with walks in walks, look-around, nested repetition, patterns from the request, members of JavaScript, and no boolean.',
    expected: '400 with the place of the condition; the active policy stays.',
    needs: ['manager', 'project-wide'],
    async run({ main }) {
      const match = { action: main.action('condition') };
      const { body } = await main.manage('GET', '/policies');
      const document = body.policy as { rules: object[] };
      const put = async (rules: readonly object[], what: string, extra = {}) => {
        const answer = await main.manage('PUT', '/policies', {
          ...document,
          rules: [...document.rules, ...rules],
        });
        if (answer.status === 200) await main.manage('PUT', '/policies', document);
        expectRefused('B', answer, 400, 'INVALID_FIELDS', what, extra);
      };
      const many = (count: number, when?: string) =>
        Array.from({ length: count }, (_, i) => ({ name: `rule ${i}`, match, when, effect: 'deny' }));
      const patterns = Array.from({ length: 8 }, () => `params.s.matches('${'a{1000}'.repeat(28)}')`);
      const endless = many(60, patterns.join(' || '));
      await main.unchanged('saving hostile conditions', {}, async () => {
        const fields = [{ path: `/rules/${document.rules.length}/when` }];
        for (const [what, when] of REFUSED_CONDITIONS)
          await put([{ name: 'hostile', match, when, effect: 'deny' }], what, { fields });
        await put(many(501), 'more rules than there may be');
        await put(many(100, `params.s == '${'x'.repeat(1900)}'`), 'more of a document than there may be');
        await put(endless, 'patterns that repeat without end');
        const policy = { ...document, rules: endless };
        const checked = await main.manage('POST', '/policies/check', { policy });
        const { problems } = expectDone(checked, 'checking them').body as { problems: unknown[] };
        check(problems.length === 480, `${problems.length} of 480 patterns are problems`, checked);
      });
      return `${REFUSED_CONDITIONS.length} conditions`;
    },
  },
  {
    id: 'T12-fails-stricter',
    title: 'conditions that fail when they are asked',
    threats: ['12'],
    aisvs: ['9.5.1', '9.5.3'],
    attack:
      'Conditions read what is absent, divide by nothing, compare unlike things and answer no boolean, in rules that deny, ask and allow.',
    expected: 'A rule that denies or asks counts as matched, one that allows never does.',
    needs: ['agent', 'manager', 'project-wide'],
    async run({ main, inside }) {
      // One rule for each condition and effect, each for its own action, so that one save is enough.
      const cases = FAILING_CONDITIONS.flatMap(([what, when], index) =>
        (
          [
            ['deny', 'denied'],
            ['require_approval', 'pending'],
            ['allow', 'pending'],
            // Beside another rule that allows everything.
            ['deny', 'denied', 'beside.'],
          ] as const
        ).map(([effect, outcome, beside = '']) => ({
          what,
          when,
          effect,
          outcome,
          action: main.action(`${beside}fails.${index}.${effect}`),
        })),
      );
      const rules = cases.map(({ when, effect, action }) => ({
        name: action,
        match: { action },
        when,
        effect,
      }));
      const free = {
        name: main.name('free'),
        match: { action: main.action('beside.*') },
        effect: 'allow',
      };
      await main.withRules([...rules, free], async () => {
        for (const { what, effect, outcome, action } of cases) {
          for (const surface of main.surfaces) {
            const position = inside?.position() ?? 0;
            const answer = await surface.create(main.agentKey, action, FAILING_PARAMETERS, {
              expires_in: 60,
            });
            const came = outcomeOf(answer);
            const failed = `a condition that ${what}, in a rule to ${effect}`;
            check(came === outcome, `${failed}: ${came} instead of ${outcome}`, answer);
            const [event] = inside?.written(position) ?? [];
            const told = event?.data.failed_conditions as string[] | undefined;
            check(!inside || told?.join() === action, `${failed}: the log tells of ${told}`);
          }
        }
      });
      const when = 'params.items >= 0 && params.total / params.items <= 50';
      const action = main.action('small');
      const small = { name: main.name('small'), match: { action }, when, effect: 'allow' };
      await main.withRules([small], async () => {
        for (const items of ['-0', '-0.0', '0', '-0e9']) {
          for (const surface of main.surfaces) {
            const params = `{"total":1000000,"items":${items}}`;
            const answer = await surface.create(main.agentKey, action, params, { expires_in: 60 });
            check(
              answer.body.status === 'pending',
              `a divisor of ${items} makes a large total small`,
              answer,
            );
          }
        }
      });
      return `${FAILING_CONDITIONS.length} conditions, each effect, both surfaces`;
    },
  },
  {
    id: 'T12-costly',
    title: 'conditions that cost more than a request may',
    threats: ['12'],
    aisvs: ['9.1.1', '9.5.1'],
    attack:
      'Long texts and lists are matched, walked, split and compared, in rules that deny and that allow.',
    expected: 'A rule that denies counts as matched; its negation lets through only what could be afforded.',
    needs: ['agent', 'manager', 'project-wide'],
    async run({ main }) {
      const rules = COSTLY.flatMap(([, when], index) =>
        [
          { when, effect: 'deny' },
          { when: `!(${when})`, effect: 'allow' },
        ].map((rule) => {
          const action = main.action(`costly.${index}.${rule.effect}`);
          return { ...rule, name: action, match: { action } };
        }),
      );
      await main.withRules(rules, async () => {
        for (const { match, effect } of rules) {
          const [what, , params = {}] =
            COSTLY[Math.floor(rules.findIndex((rule) => rule.match === match) / 2)] ?? [];
          for (const surface of main.surfaces) {
            const answer = await surface.create(main.agentKey, match.action, params, { expires_in: 60 });
            const allowed = effect === 'deny' ? ['denied'] : ['pending', 'approved'];
            check(allowed.includes(outcomeOf(answer)), `${what}, to ${effect}: ${outcomeOf(answer)}`, answer);
          }
        }
      });
      return `${COSTLY.length} conditions`;
    },
  },
  {
    id: 'T12-heavy',
    title: 'the heaviest conditions a policy may hold',
    threats: ['12', '11'],
    aisvs: ['9.1.1', '9.5.1'],
    attack:
      'Patterns that backtrack elsewhere, and walks that search long texts, are asked for by fifty requests at once, while others read.',
    expected: 'Each is answered, and stricter; nobody waits for long.',
    needs: ['agent', 'manager', 'project-wide'],
    async run({ main, client, inside }) {
      const action = main.action('heavy');
      const count = inside ? 200 : 50;
      const rules = [
        "params.s.matches('^(a+)+$')",
        "params.s.matches('^(a|aa)+$')",
        "params.s.matches('a*a*a*b')",
        "params.a.exists(x, params.s.contains('b') && x == -1)",
        "params.a.all(x, params.s.matches('^(a+)+b?c?d?$') && x >= 0)",
        ...numbers(inside ? 195 : 0).map(
          (i) => `params.a.exists(x, params.s.matches('^(a+)+b?c?d?e?$') && x == ${-i - 1})`,
        ),
      ].map((when, index) => ({
        name: `${action}.${index}`,
        match: { action },
        when,
        effect: 'require_approval',
      }));
      const params = { s: `${WORST}!`, a: numbers(900) };
      const position = inside?.position() ?? 0;
      return main.withRules(rules, async () => {
        await client.warmUp(60);
        // If the gate runs in the tests' own process, which shares the machine, any answer is in time.
        const isInTime = ({ milliseconds }: Answer) => inside !== undefined || milliseconds < LONGEST_MS;
        const [answers, reads] = await Promise.all([
          Promise.all(
            numbers(count).map((i) =>
              main.surfaces[(i % 2) as 0 | 1].create(main.agentKey, action, params, { expires_in: 60 }),
            ),
          ),
          Promise.all(Array.from({ length: 10 }, () => client.call('GET', '/healthz'))),
        ]);
        for (const answer of answers) {
          check(outcomeOf(answer) === 'pending', `it is ${outcomeOf(answer)}`, answer);
          check(isInTime(answer), `it took ${answer.milliseconds.toFixed(0)} ms`, answer);
        }
        const made = inside?.written(position).filter(({ type }) => type === 'intent.created');
        for (const { data } of made ?? [])
          check((data.failed_conditions as string[]).length === rules.length, 'not every condition failed');
        check(!made || made.length === count, `the log tells of ${made?.length} requests`);
        for (const read of reads)
          check(isInTime(read), `somebody else waited ${read.milliseconds.toFixed(0)} ms`, read);
        const slowest = (times: readonly Answer[]) =>
          Math.max(...times.map(({ milliseconds }) => milliseconds)).toFixed(0);
        return `slowest of ${count} at once: ${slowest(answers)} ms; of 10 reads beside them: ${slowest(reads)} ms`;
      });
    },
  },
];
