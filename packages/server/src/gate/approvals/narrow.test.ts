import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMeetable, narrowRequirement } from './narrow.ts';
import { People } from './people.ts';
import { type CastVote, countQuorum } from './quorum.ts';
import type { Requirement } from './requirement.ts';

const AT = '2026-11-20T12:00:00.000Z';
const NAMES = ['ann', 'bob', 'cem', 'dan'];

function peopleIn(groups: Record<string, readonly string[]>, viewers: readonly string[] = []): People {
  return new People(
    NAMES.map((userId) => ({
      projectId: 'prj_1',
      userId,
      email: `${userId}@example.org`,
      role: viewers.includes(userId) ? ('viewer' as const) : ('approver' as const),
      createdAt: AT,
    })),
    Object.entries(groups).map(([name, memberIds]) => ({ name, memberIds })),
  );
}

const people = peopleIn({ finance: ['ann', 'bob'], security: ['cem'], empty: [] });
const finance: Requirement = [{ from: ['finance'], count: 1 }];

function meets(requirement: Requirement, userIds: readonly string[], among = people): boolean {
  const votes: CastVote[] = userIds.map((userId) => ({ userId, method: 'session' }));
  return countQuorum({ requirements: [requirement], minApprovals: null, people: among, mode: 'live' }, votes)
    .met;
}

describe('an entry that a named person could fill', () => {
  test('takes its votes from the named people only, by address, group or role', () => {
    for (const names of [['bob@example.org'], ['bob@example.org', 'security']]) {
      const narrowed = narrowRequirement(finance, names, true, people);
      expect(narrowed).toEqual([{ from: ['finance'], count: 1, among: names }]);
      expect([meets(narrowed, ['bob']), meets(narrowed, ['ann']), meets(narrowed, ['cem'])]).toEqual([
        true,
        false,
        false,
      ]);
    }
    expect(meets(narrowRequirement(finance, ['role:approver'], true, people), ['ann'])).toBe(true);
  });

  test('looks up at each vote who has these names', () => {
    const narrowed = narrowRequirement([{ from: ['role:approver'], count: 1 }], ['finance'], true, people);
    const later = peopleIn({ finance: ['dan'] });
    expect([meets(narrowed, ['ann'], later), meets(narrowed, ['dan'], later)]).toEqual([false, true]);
  });

  test('cannot be met once the named people can no longer fill it', () => {
    const narrowed = narrowRequirement(finance, ['ann@example.org'], true, people);
    expect(meets(narrowed, ['ann', 'bob'], peopleIn({ finance: ['bob'] }))).toBe(false);
  });
});

test('an entry that none of the named people could fill stays unchanged', () => {
  const both: Requirement = [...finance, { from: ['security'], count: 1 }];
  expect(narrowRequirement(both, ['ann@example.org'], true, people)).toEqual([
    { from: ['finance'], count: 1, among: ['ann@example.org'] },
    { from: ['security'], count: 1 },
  ]);
});

test('a request that names nobody leaves every entry unchanged, without or_named', () => {
  const entry = { from: ['finance'], count: 2, orNamed: ['security'], programs: true as const };
  expect(narrowRequirement([entry], [], true, people)).toEqual([
    { from: ['finance'], count: 2, programs: true },
  ]);
});

describe('or_named', () => {
  const wider: Requirement = [{ from: ['finance'], count: 1, orNamed: ['security'] }];

  test('admits members of its groups whom the request names, and no others', () => {
    const narrowed = narrowRequirement(wider, ['cem@example.org', 'dan@example.org'], true, people);
    expect(NAMES.filter((userId) => meets(narrowed, [userId]))).toEqual(['cem']);
  });

  test('admits those members beside the people of the entry, where requesters may not narrow', () => {
    const served = narrowRequirement(wider, ['cem@example.org', 'ann@example.org'], false, people);
    expect(NAMES.filter((userId) => meets(served, [userId]))).toEqual(['ann', 'bob', 'cem']);
  });
});

describe('a request that names approvers', () => {
  const asks = (
    requirement: Requirement,
    approvers: readonly string[],
    minApprovals: number | null = null,
    mayNarrow = true,
  ): boolean =>
    isMeetable(
      narrowRequirement(requirement, approvers, mayNarrow, people),
      { approvers, minApprovals },
      people,
    );

  test('is accepted for names that policy asks for', () => {
    expect(asks(finance, ['ann@example.org'])).toBe(true);
    expect(asks(finance, ['ANN@example.org'])).toBe(true);
    expect(asks(finance, ['finance', 'security'])).toBe(true);
  });

  test.each([
    ['an unknown name beside a known one', finance, ['ann@example.org', 'zoe@example.org'], null],
    ['names that could fill no slot', finance, ['security'], null],
    ['a group without members', finance, ['empty'], null],
    ['one person for two slots', [{ from: ['finance'], count: 2 }], ['ann@example.org'], null],
    [
      'one person for the slots of two entries',
      [...finance, { from: ['role:approver'], count: 1 }],
      ['ann@example.org'],
      null,
    ],
    ['fewer people than min_approvals', finance, ['ann@example.org'], 2],
    ['fewer people who could fill a slot than min_approvals', finance, [], 3],
  ])('is refused for %s', (_what, requirement, approvers, minApprovals) => {
    expect(asks(requirement, approvers, minApprovals)).toBe(false);
  });

  test('is refused for every name outside or_named, where requesters may not narrow', () => {
    expect(asks(finance, ['ann@example.org'], null, false)).toBe(false);
    const wider: Requirement = [{ from: ['finance'], count: 1, orNamed: ['security'] }];
    expect(asks(wider, ['cem@example.org'], null, false)).toBe(true);
    expect(asks(wider, ['dan@example.org'], null, false)).toBe(false);
  });
});

const group = fc.subarray(NAMES);
const names = fc.subarray(['a', 'b', 'c', ...NAMES.map((name) => `${name}@example.org`), 'role:approver']);
const entry = fc
  .record({
    from: fc.subarray(['a', 'b', 'c', 'role:approver', 'dan@example.org'], { minLength: 1 }),
    count: fc.integer({ min: 1, max: 2 }),
    orNamed: fc.subarray(['a', 'b', 'c']),
  })
  .map(({ orNamed, ...rest }) => (orNamed.length === 0 ? rest : { ...rest, orNamed }));
const cases = fc.record({
  groups: fc.record({ a: group, b: group, c: group }),
  viewers: group,
  requirement: fc.array(entry, { minLength: 1, maxLength: 3 }),
  approvers: names,
  votes: group,
});

test('votes that meet a narrowed requirement also meet the policy’s own', () => {
  fc.assert(
    fc.property(cases, ({ groups, viewers, requirement, approvers, votes }) => {
      const all = peopleIn(groups, viewers);
      // With or_named, the policy alone accepts its own people and those members of its groups whom the request names.
      const own = narrowRequirement(requirement, approvers, false, all);
      const narrowed = narrowRequirement(requirement, approvers, true, all);
      if (meets(narrowed, votes, all)) expect(meets(own, votes, all)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('without or_named, votes that meet a request’s requirement also meet the policy without any names', () => {
  fc.assert(
    fc.property(cases, fc.boolean(), ({ groups, viewers, requirement, approvers, votes }, mayNarrow) => {
      const all = peopleIn(groups, viewers);
      const plain = requirement.map(({ from, count }) => ({ from, count }));
      const asked = narrowRequirement(plain, approvers, mayNarrow, all);
      if (meets(asked, votes, all)) expect(meets(plain, votes, all)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('an accepted request can be approved by the existing people', () => {
  fc.assert(
    fc.property(cases, fc.boolean(), ({ groups, viewers, requirement, approvers }, mayNarrow) => {
      const all = peopleIn(groups, viewers);
      const asked = narrowRequirement(requirement, approvers, mayNarrow, all);
      if (isMeetable(asked, { approvers, minApprovals: null }, all)) {
        expect(meets(asked, NAMES, all)).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});
