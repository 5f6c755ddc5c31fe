import type { People } from '../projects/people.ts';
import { countMissing } from './quorum.ts';
import type { Requirement } from './requirement.ts';

/** Approvals that one entry of a requirement still lacks. */
export interface MissingApprovals {
  /** Names as the entry has them: e-mail addresses, groups, roles. */
  from: readonly string[];
  count: number;
  /** E-mail addresses of people who can give one and have not; the first few. */
  who: readonly string[];
  /** How many there are beside those. */
  more: number;
}

const MOST_NAMED = 5;

/**
 * What is missing until the requirement is met, entry by entry, and whose approval would do.
 *
 * @example findMissing([{ from: ['finance'], count: 2 }], people, [annsId]) // [{ from: ['finance'], count: 1, who: ['bob@…'], more: 0 }]
 */
export function findMissing(
  requirement: Requirement,
  people: People,
  approverIds: Iterable<string>,
): MissingApprovals[] {
  const approved = new Set(approverIds);
  const missing = countMissing(requirement, people, approved);
  return requirement.flatMap(({ from }, index) => {
    const count = missing[index] ?? 0;
    return count === 0 ? [] : [{ from, count, ...namesOf(from, people, approved) }];
  });
}

function namesOf(
  from: readonly string[],
  people: People,
  approved: ReadonlySet<string>,
): Pick<MissingApprovals, 'who' | 'more'> {
  const able = new Set(from.flatMap((name) => [...people.approversNamed(name)])).difference(approved);
  const named = [...able].slice(0, MOST_NAMED);
  return {
    who: named.map((userId) => people.member(userId)?.email ?? userId),
    more: able.size - named.length,
  };
}
