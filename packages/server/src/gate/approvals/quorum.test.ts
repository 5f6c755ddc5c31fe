import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isMeetable } from './narrow.ts';
import { People } from './people.ts';
import { countQuorum } from './quorum.ts';
import type { Requirement } from './requirement.ts';

const AT = '2026-11-20T12:00:00.000Z';

/** `usr_0`, `usr_1`, … are all approvers. Groups list the numbers of their members. */
function membersAndGroups(count: number, groups: Record<string, readonly number[]>) {
  return [
    Array.from({ length: count }, (_, n) => ({
      projectId: 'prj_1',
      userId: `usr_${n}`,
      email: `person${n}@example.org`,
      role: 'approver' as const,
      createdAt: AT,
    })),
    Object.entries(groups).map(([name, numbers]) => ({
      projectId: 'prj_1',
      name,
      memberIds: numbers.map((n) => `usr_${n}`),
      createdAt: AT,
    })),
  ] as const;
}

/** Counts the people that it returns. */
class CountedPeople extends People {
  named = 0;

  override approversNamed(name: string): ReadonlySet<string> {
    const count = (): void => {
      this.named += 1;
    };
    class CountedSet extends Set<string> {
      override *[Symbol.iterator](): SetIterator<string> {
        for (const userId of super[Symbol.iterator]()) {
          count();
          yield userId;
        }
      }
    }
    return new CountedSet(super.approversNamed(name).values());
  }
}

const NOBODY_NAMED = { approvers: [], minApprovals: null };

function effortAmong(members: number, requirement: Requirement, meetable: boolean): number {
  const people = new CountedPeople(...membersAndGroups(members, { one: [members - 1] }));
  expect(isMeetable(requirement, NOBODY_NAMED, people)).toBe(meetable);
  return people.named;
}

it.each<[what: string, requirement: Requirement, meetable: boolean]>([
  ['20 of everyone', [{ from: ['role:approver'], count: 20 }], true],
  [
    '20 of everyone and one certain person',
    [
      { from: ['role:approver'], count: 20 },
      { from: ['one'], count: 1 },
    ],
    true,
  ],
  [
    '20 of everyone and a person who would have to count twice',
    [
      { from: ['role:approver'], count: 20 },
      { from: ['one'], count: 2 },
    ],
    false,
  ],
])('looking for %s takes no more steps among 3,000 members than among 30', (_what, requirement, meetable) => {
  const effort = effortAmong(30, requirement, meetable);
  expect(effort).toBeGreaterThanOrEqual(20);
  expect(effortAmong(3_000, requirement, meetable)).toBe(effort);
});

/** Tries every assignment: the most slots these people can fill. */
function mostFilled(slots: readonly (readonly number[])[], free: ReadonlySet<number>): number {
  const [slot, ...others] = slots;
  if (!slot) return 0;
  const taken = slot
    .filter((n) => free.has(n))
    .map((n) => 1 + mostFilled(others, new Set([...free].filter((m) => m !== n))));
  return Math.max(mostFilled(others, free), ...taken);
}

it('the count fills as many slots as any assignment can', () => {
  const group = fc.uniqueArray(fc.nat(4), { maxLength: 5 });
  const entry = fc.record({
    from: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
    count: fc.integer({ min: 1, max: 2 }),
  });
  const cases = fc.record({
    groups: fc.record({ a: group, b: group, c: group }),
    requirement: fc.array(entry, { minLength: 1, maxLength: 3 }),
    approvers: group,
  });
  fc.assert(
    fc.property(cases, ({ groups, requirement, approvers }) => {
      const people = new People(...membersAndGroups(5, groups));
      const slots = requirement.flatMap(({ from, count }) => {
        const able = [...new Set(from.flatMap((name) => groups[name as 'a' | 'b' | 'c']))];
        return Array.from({ length: count }, () => able);
      });
      const received = mostFilled(slots, new Set(approvers));
      expect(
        countQuorum(
          { requirements: [requirement], minApprovals: null, people, mode: 'live' },
          approvers.map((n) => ({ userId: `usr_${n}`, method: 'session' })),
        ),
      ).toEqual({ received, required: slots.length, met: received === slots.length });
      const meetable = mostFilled(slots, new Set([0, 1, 2, 3, 4])) === slots.length;
      expect(isMeetable(requirement, NOBODY_NAMED, people)).toBe(meetable);
    }),
    { numRuns: 300 },
  );
});
