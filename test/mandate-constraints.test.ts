/** The constraints of mandates, read by two programs: ours, and the example that was written only from the document. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMisfit } from '@permitry/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'examples/mandates/constraints.py');
const VECTORS = join(ROOT, 'packages/protocol/test-data/mandate-constraints.vectors.json');
const hasPython = spawnSync('python3', ['--version']).status === 0;
const QUESTIONS = 3000;

type Question = { params: Parameters<typeof findMisfit>[0]; constraints: Parameters<typeof findMisfit>[1] };

/** Whether each question's parameters fit, according to the Python program. */
function askPython(questions: readonly Question[]): boolean[] {
  const { stdout, stderr, status } = spawnSync('python3', [PROGRAM], {
    input: questions.map((question) => JSON.stringify(question)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line === 'fits');
}

const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, 2, -1, 0.5, 50, '', '0', '1', 'EUR', '/srv/www', '/srv/www/a'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
  fc.stringMatching(/^\/srv\/www\/[a-z./]{0,6}$/),
  fc.string(),
);
const name = fc.constantFrom('a', 'b', '0', '10', '00', 'a/b', '~', '', 'é');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const scalarKind = fc.oneof(
  scalar.map((equals) => ({ equals })),
  fc.array(scalar, { minLength: 1, maxLength: 4 }).map((values) => ({ one_of: values })),
  fc.constantFrom({ at_most: 50 }, { at_least: 0.5 }, { at_most: 1, at_least: -1 }, { anything: true }),
  fc.constantFrom({ under: '/srv/www' }, { under: '/' }, { under: 'srv' }),
);
const kind = fc.oneof(
  scalarKind,
  value.map((equals) => ({ equals })),
  fc.record({ each: scalarKind, at_most_items: fc.integer({ min: 0, max: 3 }) }),
);
const path = fc.constantFrom(
  '/a',
  '/b',
  '/a/b',
  '/a/0',
  '/0',
  '/00',
  '/a~1b',
  '/~0',
  '/',
  '/a/a',
  '/b/1',
  '/é',
);
const question = fc
  .record({
    params: fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true }),
    constraints: fc.uniqueArray(fc.tuple(path, kind, fc.boolean()), { selector: ([at]) => at, maxLength: 4 }),
    isTold: fc.boolean(),
  })
  .map(({ params, constraints, isTold }) => {
    // Half of the questions name every member, so that many fit.
    const named = isTold ? membersOf(params as Question['params']) : [];
    const others = constraints
      .map(([at, each, optional]) => ({ path: at, ...each, ...(optional && { optional: true }) }))
      .filter((each) => !named.some((own) => own.path === each.path && Object.keys(each).length < 3));
    const all = [...new Map([...named, ...others].map((each) => [each.path, each])).values()];
    const apart = all.filter(({ path: at }) => !all.some((outer) => at.startsWith(`${outer.path}/`)));
    return JSON.parse(JSON.stringify({ params, constraints: apart })) as Question;
  });

function membersOf(params: Question['params']): { path: string }[] {
  return Object.entries(params).map(([member, equals]) => ({
    path: `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    equals,
  }));
}

describe.skipIf(!hasPython)('the Python example, if this machine has Python,', () => {
  test('agrees with every test vector', () => {
    const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8')) as {
      cases: (Question & { fits: boolean })[];
    };
    expect(askPython(cases)).toEqual(cases.map(({ fits }) => fits));
  });

  test('agrees with the gate on random parameters under random constraints', () => {
    const questions = fc.sample(question, QUESTIONS);
    const ours = questions.map(({ params, constraints }) => findMisfit(params, constraints) === null);
    const theirs = askPython(questions);
    const apart = questions.filter((_, at) => ours[at] !== theirs[at]);
    expect(apart).toEqual([]);
    // Both answers are common, so that agreement means something.
    expect(ours.filter(Boolean).length).toBeGreaterThan(QUESTIONS / 20);
    expect(ours.filter((fits) => !fits).length).toBeGreaterThan(QUESTIONS / 20);
  });
});
