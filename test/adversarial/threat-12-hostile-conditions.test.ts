/** Threat 12: conditions that are slow, fail or answer no boolean are refused at save or bounded at use, and only ever stricter. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FAILING_CONDITIONS,
  FAILING_PARAMETERS,
  REFUSED_CONDITIONS,
} from '../../attack/tables/hostile-conditions.ts';
import type { SignedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { expectOfEach } from './expect-of-each.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

const DEFAULT = { approvers: ['role:approver'], min_approvals: 1 };

let t: Arena;
let owner: SignedIn;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  owner = await t.owner.signIn();
});
afterAll(() => t.close());

function put(rules: readonly object[]): Promise<Answer> {
  return t.call('PUT', `/v1/projects/${t.projectId}/policies`, {
    headers: owner.headers,
    body: { name: 'p', default: DEFAULT, rules },
  });
}

async function inForce(...rules: object[]): Promise<void> {
  const answer = await put(rules);
  expect(answer.status, answer.text).toBe(200);
}

/** What came of it, at whichever door. */
function outcomeOf(answer: Answer): string {
  if (answer.status === 201) return String(answer.body.status);
  expect(answer.status, answer.text).toBe(403);
  expect(answer.body.error).toMatchObject({ code: 'policy_violation' });
  return 'denied';
}

describe('refused at save, with the place, and nothing changes', () => {
  it('hostile conditions', () =>
    expectOfEach(REFUSED_CONDITIONS, async (_name, when) => {
      const answer = await t.expectUnchanged(() => put([{ name: 'hostile', when, effect: 'deny' }]));
      expectRefused('B', answer, 400, 'INVALID_FIELDS', { fields: [{ path: '/rules/0/when' }] });
    }));

  it('more rules, or more of a document, than there may be', async () => {
    const rule = (i: number) => ({ name: `rule ${i}`, match: { action: `a${i}` }, effect: 'deny' });
    const many = Array.from({ length: 501 }, (_, i) => rule(i));
    expectRefused('B', await t.expectUnchanged(() => put(many)), 400, 'INVALID_FIELDS');
    const long = Array.from({ length: 100 }, (_, i) => ({
      ...rule(i),
      when: `params.s == '${'x'.repeat(1900)}'`,
    }));
    expectRefused('B', await t.expectUnchanged(() => put(long)), 400, 'INVALID_FIELDS');
  });
});

it('a policy full of patterns that repeat without end is refused before they are compiled', async () => {
  const when = Array.from({ length: 8 }, () => `params.s.matches('${'a{1000}'.repeat(28)}')`).join(' || ');
  const rules = Array.from({ length: 60 }, (_, i) => ({ name: `rule ${i}`, when, effect: 'deny' }));
  const check = { policy: { name: 'p', default: DEFAULT, rules } };
  const path = `/v1/projects/${t.projectId}/policies/check`;
  const answer = await t.expectUnchanged(() => t.call('POST', path, { key: t.owner.token, body: check }));
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.problems).toHaveLength(480);
  expectRefused('B', await t.expectUnchanged(() => put(rules)), 400, 'INVALID_FIELDS');
});

describe('bounded at use', () => {
  const worst = 'a'.repeat(60_000);

  it('costly conditions are only ever stricter, whichever the door', () =>
    expectOfEach(
      [
        ['a pattern that backtracks elsewhere', "params.s.matches('^(a+)+$')", { s: `${worst}!` }, 'denied'],
        [
          'alternatives that backtrack elsewhere',
          "params.s.matches('^(a|aa)+$')",
          { s: `${worst}!` },
          'denied',
        ],
        ['three stars', "params.s.matches('a*a*a*b')", { s: worst }, 'denied'],
        ['a text of 100,000 letters', "params.s.matches('^b')", { s: 'a'.repeat(100_000) }, 'denied'],
        [
          'a walk over 5,000',
          'params.a.all(x, x >= 0)',
          { a: Array.from({ length: 5000 }, (_, i) => i) },
          'denied',
        ],
        [
          'a walk over 900, each a search',
          "params.a.exists(x, params.s.contains('b'))",
          { a: Array.from({ length: 900 }, (_, i) => i), s: worst },
          'denied',
        ],
        [
          'a search for a long text in a long text',
          'params.s.contains(params.t)',
          { s: `${worst}b`, t: `${worst}c` },
          'denied',
        ],
        ['a split into 60,000', "params.s.split('a').size() > 1", { s: worst }, 'denied'],
        [
          'lists compared deeply',
          'params.a == params.b',
          { a: Array.from({ length: 20_000 }, () => 1), b: Array.from({ length: 20_000 }, () => 1) },
          'denied',
        ],
      ],
      async (_name, when, params, expected) => {
        await inForce({ name: 'costly', match: { action: 'x' }, when, effect: 'deny' });
        for (const surface of t.surfaces)
          expect(outcomeOf(await surface.create(t.first.agent_key, 'x', params))).toBe(expected);
        await inForce({ name: 'costly', match: { action: 'x' }, when: `!(${when})`, effect: 'allow' });
        for (const surface of t.surfaces) {
          const { status } = (await surface.create(t.first.agent_key, 'x', params)).body;
          // Where the condition could be afforded after all, its negation is true or false; where not, nobody is let through.
          expect(['pending', 'approved']).toContain(status);
        }
      },
    ));

  it('200 at once under the heaviest policy that is accepted are all answered', async () => {
    const heavy = (i: number) => ({
      name: `heavy ${i}`,
      when: `params.a.exists(x, params.s.matches('^(a+)+b?c?d?e?$') && x == ${-i - 1})`,
      effect: 'require_approval',
    });
    await inForce(...Array.from({ length: 200 }, (_, i) => heavy(i)));
    const params = { a: Array.from({ length: 900 }, (_, i) => i), s: `${worst}!` };
    const before = t.now();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        t.surfaces[(i % 2) as 0 | 1].create(t.first.agent_key, 'x', params),
      ),
    );
    expect(new Set(answers.map(outcomeOf))).toEqual(new Set(['pending']));
    expect(t.written(before).filter(({ type }) => type === 'intent.created')).toHaveLength(200);
    expect(t.written(before)[0]?.data.failed_conditions).toHaveLength(200);
    await inForce();
  });
});

describe('a condition that fails, or answers no boolean, is only ever stricter', () => {
  const params = FAILING_PARAMETERS;

  it('at every effect, beside rules that let through, at both doors', () =>
    expectOfEach(FAILING_CONDITIONS, async (_name, when) => {
      const match = { action: 'x' };
      for (const [effect, expected] of [
        ['deny', 'denied'],
        ['require_approval', 'pending'],
        ['allow', 'pending'],
      ] as const) {
        await inForce({ name: 'failing', match, when, effect });
        for (const surface of t.surfaces) {
          const start = t.now();
          expect(
            outcomeOf(await surface.create(t.first.agent_key, 'x', params)),
            `${effect} at ${surface.name}`,
          ).toBe(expected);
          expect(t.written(start)[0]?.data).toMatchObject({ failed_conditions: ['failing'] });
        }
      }
      // Beside a rule that would let it through, the failing denial still denies.
      await inForce(
        { name: 'free', match, effect: 'allow' },
        { name: 'failing', match, when, effect: 'deny' },
      );
      for (const surface of t.surfaces)
        expect(outcomeOf(await surface.create(t.first.agent_key, 'x', params))).toBe('denied');
    }));

  it('a divisor of -0 makes no large total a small one', async () => {
    const when = 'params.items >= 0 && params.total / params.items <= 50';
    await inForce({ name: 'small ones', match: { action: 'x' }, when, effect: 'allow' });
    for (const items of ['-0', '-0.0', '0', '-0e9']) {
      const params = `{"total":1000000,"items":${items}}`;
      for (const [path, body] of [
        ['/api/intents', `{"action":"x","source_type":"ai_agent","context":${params}}`],
        ['/v1/intents', `{"action":"x","params":${params}}`],
      ] as const) {
        const answer = await t.call('POST', path, { key: t.first.agent_key, body });
        expect(answer.body.status, answer.text).toBe('pending');
      }
    }
  });

  it('and when policy is asked again at the use of a permit', async () => {
    await inForce();
    const id = idOf(await t.surfaces[0].create(t.first.agent_key, 'x', params));
    await t.surfaces[0].approve(t.owner, id);
    const token = String((await t.surfaces[0].read(t.first.agent_key, id)).body.permit_token);
    await inForce({ name: 'failing', when: 'params.absent > 1', effect: 'deny' });
    for (const surface of t.surfaces) {
      for (const consume of [false, true]) {
        const answer = await t.expectUnchanged(() =>
          surface.verify(t.first.verifier_key, { token, action: 'x', params, consume }),
        );
        expectRefused(surface.name, answer, 400, 'INVALID_PERMIT', { reason: 'policy_changed' });
      }
    }
  });
});
