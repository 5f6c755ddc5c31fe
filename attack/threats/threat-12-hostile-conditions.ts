/** Threat 12: conditions that are slow, fail or answer no boolean are refused at save or bounded at use, and only ever stricter. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectRefused } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import { FAILING_CONDITIONS, FAILING_PARAMETERS, REFUSED_CONDITIONS } from '../tables/hostile-conditions.ts';

/** Generous: where a condition backtracks without bound, it takes minutes. */
const LONGEST_MS = 5000;

function outcomeOf(answer: Answer): string {
  return answer.status === 201
    ? String(answer.body.status)
    : answer.status === 403
      ? 'denied'
      : `answered with ${answer.status}`;
}

export const HOSTILE_CONDITIONS: readonly CatalogueEntry[] = [
  {
    id: 'T12-refused-at-save',
    title: 'conditions that could never be afforded, or are none',
    threats: ['12'],
    aisvs: ['9.5.1'],
    attack:
      'A policy is saved with walks in walks, look-around, nested repetition, patterns from the request, members of JavaScript, and no boolean.',
    expected: '400 with the place of the condition; the policy in force stays.',
    needs: ['manager', 'project-wide'],
    async run({ main }) {
      const match = { action: main.action('condition') };
      await main.unchanged('saving hostile conditions', {}, async () => {
        const { body } = await main.manage('GET', '/policies');
        const document = body.policy as { rules: object[] };
        for (const [what, when] of REFUSED_CONDITIONS) {
          const rule = { name: 'hostile', match, when, effect: 'deny' };
          const answer = await main.manage('PUT', '/policies', {
            ...document,
            rules: [...document.rules, rule],
          });
          if (answer.status === 200) await main.manage('PUT', '/policies', document);
          expectRefused('B', answer, 400, 'INVALID_FIELDS', what);
        }
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
    async run({ main }) {
      // One rule for each condition and effect, each for an action of its own, so that the policy is saved once.
      const cases = FAILING_CONDITIONS.flatMap(([what, when], index) =>
        (
          [
            ['deny', 'denied'],
            ['require_approval', 'pending'],
            ['allow', 'pending'],
          ] as const
        ).map(([effect, outcome]) => ({
          what,
          when,
          effect,
          outcome,
          action: main.action(`fails.${index}.${effect}`),
        })),
      );
      const rules = cases.map(({ when, effect, action }) => ({
        name: action,
        match: { action },
        when,
        effect,
      }));
      await main.withRules(rules, async () => {
        for (const [index, { what, effect, outcome, action }] of cases.entries()) {
          const surface = main.surfaces[(index % 2) as 0 | 1];
          const answer = await surface.create(main.agentKey, action, FAILING_PARAMETERS, { expires_in: 60 });
          const came = surface.name === 'A' || answer.status !== 403 ? outcomeOf(answer) : 'denied';
          check(
            came === outcome,
            `a condition that ${what}, in a rule to ${effect}: ${came} instead of ${outcome}`,
            answer,
          );
        }
      });
      return `${FAILING_CONDITIONS.length} conditions, three effects each`;
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
    async run({ main, client }) {
      const action = main.action('heavy');
      const text = `${'a'.repeat(60_000)}!`;
      const rules = [
        "params.s.matches('^(a+)+$')",
        "params.s.matches('^(a|aa)+$')",
        "params.s.matches('a*a*a*b')",
        "params.a.exists(x, params.s.contains('b') && x == -1)",
        "params.a.all(x, params.s.matches('^(a+)+b?c?d?$') && x >= 0)",
      ].map((when, index) => ({
        name: `${action}.${index}`,
        match: { action },
        when,
        effect: 'require_approval',
      }));
      const params = { s: text, a: Array.from({ length: 900 }, (_, i) => i) };
      return main.withRules(rules, async () => {
        await client.warmUp(60);
        const [answers, reads] = await Promise.all([
          Promise.all(
            Array.from({ length: 50 }, (_, i) =>
              main.surfaces[(i % 2) as 0 | 1].create(main.agentKey, action, params, { expires_in: 60 }),
            ),
          ),
          Promise.all(Array.from({ length: 10 }, () => client.call('GET', '/healthz'))),
        ]);
        for (const answer of answers) {
          check(outcomeOf(answer) === 'pending', `it is ${outcomeOf(answer)}`, answer);
          check(answer.milliseconds < LONGEST_MS, `it took ${answer.milliseconds.toFixed(0)} ms`, answer);
        }
        for (const read of reads)
          check(
            read.milliseconds < LONGEST_MS,
            `somebody else waited ${read.milliseconds.toFixed(0)} ms`,
            read,
          );
        const slowest = (times: readonly Answer[]) =>
          Math.max(...times.map(({ milliseconds }) => milliseconds)).toFixed(0);
        return `slowest of 50 at once: ${slowest(answers)} ms; of 10 reads beside them: ${slowest(reads)} ms`;
      });
    },
  },
];
