import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import Type from 'typebox';
import { Check } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../canonical-json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { MANDATE_PROPERTIES } from '../schemas/mandates.ts';
import { formatMillionths, toMillionths } from './amount.ts';
import { amountsOf, findMisfit } from './covers.ts';
import { findMandateProblems } from './find-mandate-problems.ts';
import { type Constraint, isReservedAction, type StandingMandate } from './mandate-document.ts';
import { sayWorstCase, sentenceOf } from './mandate-sentence.ts';
import { worstCaseOf } from './worst-case.ts';

const NOW = Date.parse('2026-11-24T09:00:00.000Z');
const VECTORS = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../test-data/mandate-constraints.vectors.json'), 'utf8'),
) as { cases: { params: JsonObject; constraints: Constraint[]; fits: boolean }[] };
const SCHEMA = Type.Object(MANDATE_PROPERTIES, { additionalProperties: false });

const REFUNDS: StandingMandate = {
  entries: [
    {
      action: 'payments.refund',
      constraints: [
        { path: '/amount', at_most: 50 },
        { path: '/currency', equals: 'EUR' },
        { path: '/order', anything: true },
      ],
      limits: {
        uses: { total: 200, per_day: 40 },
        amounts: [{ path: '/amount', unit: '/currency', per_day: 500, total: 2000 }],
      },
    },
  ],
  ends_at: '2026-11-27T17:00:00.000Z',
};

/** The document with one entry, changed. */
function withEntry(change: (entry: JsonObject) => void): StandingMandate {
  const document = structuredClone(REFUNDS);
  change(document.entries[0] as unknown as JsonObject);
  return document;
}

function problemsOf(document: unknown): string[] {
  return findMandateProblems(document as StandingMandate, NOW).map(({ path }) => path);
}

describe('an amount', () => {
  it.each([
    [0, 0n],
    [-0, 0n],
    [12.5, 12_500_000n],
    [0.000001, 1n],
    [999_999_999_999.9999, 999_999_999_999_999_900n],
    [0.1 + 0.2, undefined],
    [0.0000001, undefined],
    [1e12, undefined],
    [-0.01, undefined],
  ])('of %d is counted as %s millionths', (amount, millionths) => {
    expect(toMillionths(amount)).toBe(millionths);
  });

  it('is written as the number it came from', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 15 }), (millionths) => {
        const amount = millionths / 1e6;
        const counted = toMillionths(amount);
        if (counted !== undefined) expect(Number(formatMillionths(counted))).toBe(amount);
      }),
    );
  });
});

describe('parameters fit constraints', () => {
  const fits = (params: JsonObject, constraints: readonly Constraint[]) => findMisfit(params, constraints);

  it('when each leaf is named and fits', () => {
    const { constraints } = REFUNDS.entries[0] as StandingMandate['entries'][0];
    expect(fits({ amount: 50, currency: 'EUR', order: 'A-1' }, constraints)).toBeNull();
    expect(fits({ amount: 50.01, currency: 'EUR', order: 'A-1' }, constraints)).toEqual({
      path: '/amount',
      why: 'does_not_fit',
    });
    expect(fits({ amount: 5, currency: 'EUR', order: 'A-1', rush: true }, constraints)).toEqual({
      path: '/rush',
      why: 'not_named',
    });
    expect(fits({ amount: 5, currency: 'EUR' }, constraints)).toEqual({ path: '/order', why: 'missing' });
  });

  it.each(VECTORS.cases)('as the vectors say: %j', ({ params, constraints, fits: isFit }) => {
    expect(findMisfit(params, constraints) === null).toBe(isFit);
  });

  it('never with an added leaf that no constraint names', () => {
    const name = fc.stringMatching(/^[a-z]{1,3}$/);
    const tree = fc.dictionary(name, fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }), { minKeys: 1 }), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(tree, fc.jsonValue(), (made, added) => {
        const params = JSON.parse(JSON.stringify(made)) as JsonObject;
        const constraints = Object.entries(params).flatMap(([outer, branch]) =>
          Object.entries(branch as JsonObject).map(
            ([inner, value]): Constraint => ({ path: `/${outer}/${inner}`, equals: value }),
          ),
        );
        expect(fits(params, constraints)).toBeNull();
        const value = JSON.parse(JSON.stringify(added)) as JsonValue;
        expect(fits({ ...params, ADDED: value }, constraints)).not.toBeNull();
        const [first = ''] = Object.keys(params);
        const inside = { ...params, [first]: { ...(params[first] as JsonObject), ADDED: value } };
        expect(fits(inside, constraints)).not.toBeNull();
      }),
    );
  });

  it('with equals exactly when the canonical texts are the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as JsonValue) as [
          JsonValue,
          JsonValue,
        ];
        const isSame = canonicalJson(a) === canonicalJson(b);
        expect(fits({ v: a }, [{ path: '/v', equals: b }]) === null).toBe(isSame);
        expect(fits({ v: a }, [{ path: '/v', equals: a }])).toBeNull();
      }),
    );
  });
});

describe('the amounts of a request', () => {
  it('are undefined if one of them cannot be counted', () => {
    const limit = { path: '/a/0', unit: null, total: 1 };
    expect(amountsOf({ a: [1.5] }, [limit])).toEqual([1_500_000n]);
    expect(amountsOf({ a: ['1.5'] }, [limit])).toBeUndefined();
    expect(amountsOf({ a: [-1] }, [limit])).toBeUndefined();
    expect(amountsOf({ a: { 0: 1 } }, [limit])).toBeUndefined();
    expect(amountsOf({}, [limit])).toBeUndefined();
  });
});

describe('the document of a standing approval', () => {
  it('has no problems when it is valid', () => {
    expect(Check(SCHEMA, REFUNDS)).toBe(true);
    expect(problemsOf(REFUNDS)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['an end in the past', { ...REFUNDS, ends_at: '2026-11-24T08:00:00.000Z' }, '/ends_at'],
    ['an end before the start', { ...REFUNDS, starts_at: '2026-11-28T00:00:00.000Z' }, '/ends_at'],
    ['more than 31 days', { ...REFUNDS, ends_at: '2026-12-26T09:00:00.000Z' }, '/ends_at'],
    ['neither entries nor steps', { ends_at: REFUNDS.ends_at }, ''],
    ['an order without steps', { ...REFUNDS, ordered: true }, '/ordered'],
    [
      'a reserved action',
      withEntry((entry) => Object.assign(entry, { action: 'Permitry.x' })),
      '/entries/0/action',
    ],
    ['a pattern', withEntry((entry) => Object.assign(entry, { action: 'payments.*' })), '/entries/0/action'],
  ])('is refused with the place of the problem: %s', (_, document, path) => {
    expect(problemsOf(document)).toContain(path);
  });

  it.each<[string, object[], string]>([
    ['the root', [{ path: '', anything: true }], '/0/path'],
    ['no pointer', [{ path: 'amount', at_most: 1 }], '/0/path'],
    ['a wrong escape', [{ path: '/a~2', at_most: 1 }], '/0/path'],
    [
      'a path twice',
      [
        { path: '/a', at_most: 1 },
        { path: '/a', equals: 1 },
      ],
      '/1/path',
    ],
    [
      'a path inside another',
      [
        { path: '/a/b', equals: 1 },
        { path: '/a', anything: true },
      ],
      '/0/path',
    ],
    ['no kind', [{ path: '/a' }], '/0'],
    ['two kinds', [{ path: '/a', equals: 1, anything: true }], '/0'],
    ['an empty range', [{ path: '/a', at_most: 1, at_least: 2 }], '/0/at_least'],
    ['a negative end of a range from 0', [{ path: '/a', at_most: -1 }], '/0/at_most'],
    ['a path with dots', [{ path: '/a', under: '/srv/../etc' }], '/0/under'],
    ['a path with a slash at its end', [{ path: '/a', under: '/srv/' }], '/0/under'],
    ['each without a length', [{ path: '/a', each: { equals: 1 } }], '/0/at_most_items'],
    ['each of no kind', [{ path: '/a', each: {}, at_most_items: 1 }], '/0/each'],
  ])('refuses a constraint with %s', (_, constraints, path) => {
    const document = withEntry((entry) =>
      Object.assign(entry, { constraints, limits: { uses: { total: 1 } } }),
    );
    expect(problemsOf(document)).toContain(`/entries/0/constraints${path}`);
  });

  it.each<[string, object, string]>([
    ['an unknown path', { path: '/other', unit: null, total: 1 }, '/path'],
    ['a value that is no number', { path: '/currency', unit: null, total: 1 }, '/path'],
    ['no limit', { path: '/amount', unit: null }, ''],
    ['a negative limit', { path: '/amount', unit: null, total: -1 }, '/total'],
    ['too long a limit', { path: '/amount', unit: null, per_day: 0.0000001 }, '/per_day'],
    ['a unit that is not fixed', { path: '/amount', unit: '/order', total: 1 }, '/unit'],
    ['an unknown unit', { path: '/amount', unit: '/x', total: 1 }, '/unit'],
  ])('refuses an amount with %s', (_, amount, path) => {
    const document = withEntry((entry) =>
      Object.assign(entry, { limits: { uses: { total: 1 }, amounts: [amount] } }),
    );
    expect(problemsOf(document)).toEqual([`/entries/0/limits/amounts/0${path}`]);
  });

  it('refuses amounts whose constraint allows values that cannot be counted', () => {
    const document = withEntry((entry) => {
      (entry.constraints as JsonObject[])[0] = { path: '/amount', at_most: 50, at_least: -50 };
    });
    expect(problemsOf(document)).toEqual(['/entries/0/limits/amounts/0/path']);
  });
});

describe('the sentence about a standing approval', () => {
  it('says what the agent may do', () => {
    expect(sentenceOf(REFUNDS, 'billing-bot')).toBe(
      'billing-bot may run payments.refund up to 200 times (40 a day) with amount at most 50, currency "EUR", any order; at most 2000 EUR in all and 500 EUR a day. Ends 27 Nov 2026, 17:00 UTC.',
    );
  });

  it('quotes every name that could be mistaken for a part of it', () => {
    const document = withEntry((entry) =>
      Object.assign(entry, {
        constraints: [{ path: '/amount at most 5', anything: true }],
        limits: { uses: { total: 1 } },
      }),
    );
    expect(sentenceOf(document, 'bot. Ends today')).toBe(
      '"bot. Ends today" may run payments.refund once with any "amount at most 5". Ends 27 Nov 2026, 17:00 UTC.',
    );
  });
});

describe('the worst case of a standing approval', () => {
  const worst = (document: StandingMandate) =>
    sayWorstCase(worstCaseOf(document, new Date(NOW).toISOString()));

  it('is the smallest of the limits', () => {
    expect(worst(REFUNDS)).toBe('Up to 200 times and 2000 EUR in all.');
    const limited = (limits: object) => withEntry((entry) => Object.assign(entry, { limits }));
    const amount = { path: '/amount', unit: '/currency' };
    // Four days and a part of a fifth.
    expect(worst(limited({ uses: { total: 200 }, amounts: [{ ...amount, per_day: 10 }] }))).toBe(
      'Up to 200 times and 50 EUR in all.',
    );
    expect(worst(limited({ uses: { total: 3 }, amounts: [{ ...amount, per_day: 500 }] }))).toBe(
      'Up to 3 times and 150 EUR in all.',
    );
  });

  it('adds up the entries of each unit', () => {
    const [entry] = REFUNDS.entries as [StandingMandate['entries'][0]];
    expect(worst({ ...REFUNDS, entries: [entry, entry] })).toBe('Up to 400 times and 4000 EUR in all.');
  });
});

it('the gate’s own actions are recognised in capitals too', () => {
  expect(['permitry.x', 'PERMITRY.mandate'].every(isReservedAction)).toBe(true);
  expect(['permitry', 'permitryx.y', 'a.permitry.b'].some(isReservedAction)).toBe(false);
});
