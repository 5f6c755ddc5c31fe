import type { People } from '../projects/people.ts';
import type { Requirement } from './requirement.ts';

/** How far a requirement is met. */
export interface Quorum {
  /** Places filled. */
  received: number;
  /** Places there are. */
  required: number;
  met: boolean;
}

/** One list of people per place: an entry of count 2 is two places. */
function placesOf(requirement: Requirement, people: People): ReadonlySet<string>[] {
  return requirement.flatMap(({ from, count }) => {
    const able = ableFor(from, people);
    return Array.from({ length: count }, () => able);
  });
}

function ableFor(names: readonly string[], people: People): ReadonlySet<string> {
  const [name = '', ...others] = names;
  // A role may be thousands of people; it is not copied.
  if (others.length === 0) return people.approversNamed(name);
  return new Set(names.flatMap((each) => [...people.approversNamed(each)]));
}

interface Place {
  able: ReadonlySet<string>;
}

/**
 * Which places are filled when as many as can be are, and everybody fills at most one: maximum bipartite matching by
 * augmenting paths (Kuhn). Someone in two of the groups asked for does not count for both.
 *
 * Whoever is free is taken at once, so only those who hold a place are ever searched: the effort goes by the number of
 * places, however many people there are.
 */
function fillPlaces(places: readonly ReadonlySet<string>[]): boolean[] {
  const held = new Map<string, Place>();
  const fill = (place: Place, tried: Set<string>): boolean => {
    for (const userId of place.able) {
      if (held.has(userId)) continue;
      held.set(userId, place);
      return true;
    }
    for (const userId of place.able) {
      const other = held.get(userId);
      if (!other || tried.has(userId)) continue;
      tried.add(userId);
      if (!fill(other, tried)) continue;
      held.set(userId, place);
      return true;
    }
    return false;
  };
  // Who holds a place may move to another one, but a place once filled stays so.
  return places.map((able) => fill({ able }, new Set()));
}

function countFilled(places: readonly ReadonlySet<string>[]): number {
  return fillPlaces(places).filter((filled) => filled).length;
}

/** People who approved and are still able to, counted against the requirement. */
export function countQuorum(requirement: Requirement, people: People, approverIds: Iterable<string>): Quorum {
  const places = heldPlaces(requirement, people, approverIds);
  const received = countFilled(places);
  return { received, required: places.length, met: received === places.length };
}

/** Of each entry, how many of its places nobody fills. */
export function countMissing(
  requirement: Requirement,
  people: People,
  approverIds: Iterable<string>,
): number[] {
  const filled = fillPlaces(heldPlaces(requirement, people, approverIds));
  let place = 0;
  return requirement.map(({ count }) => {
    const own = filled.slice(place, place + count);
    place += count;
    return own.filter((isFilled) => !isFilled).length;
  });
}

/** Of each place, those who approved and could fill it. */
function heldPlaces(
  requirement: Requirement,
  people: People,
  approverIds: Iterable<string>,
): ReadonlySet<string>[] {
  const approvers = [...approverIds];
  return placesOf(requirement, people).map((able) => new Set(approvers.filter((id) => able.has(id))));
}

/** Whether this person could fill any place. */
export function canApprove(requirement: Requirement, people: People, userId: string): boolean {
  return requirement.some((entry) => entry.from.some((name) => people.approversNamed(name).has(userId)));
}

/**
 * The names that make a requirement impossible: unknown ones, or, when all are known, those of the entries that
 * not enough different people can meet. Empty when it can be met.
 */
export function findUnmeetable(requirement: Requirement, people: People): readonly string[] {
  const names = [...new Set(requirement.flatMap((entry) => entry.from))];
  const unknown = names.filter((name) => !people.knows(name));
  if (unknown.length > 0) return unknown;
  // One place each and nobody shared is the everyday case; it needs no matching.
  const [only] = requirement;
  if (requirement.length === 1 && only?.count === 1 && names.some((n) => people.approversNamed(n).size > 0)) {
    return [];
  }
  const places = placesOf(requirement, people);
  return countFilled(places) === places.length ? [] : names;
}
