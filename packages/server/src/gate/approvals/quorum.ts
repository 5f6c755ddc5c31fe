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
  return requirement.flatMap((entry) => {
    const able = new Set(entry.from.flatMap((name) => [...people.approversNamed(name)]));
    return Array.from({ length: entry.count }, () => able);
  });
}

/**
 * The most places these people can fill when each fills at most one: maximum bipartite matching by augmenting paths
 * (Kuhn). Someone in two of the groups asked for does not count for both.
 */
function fillPlaces(places: readonly ReadonlySet<string>[], userIds: Iterable<string>): number {
  const holder = new Map<number, string>();
  const seat = (userId: string, tried: Set<number>): boolean => {
    for (const [place, able] of places.entries()) {
      if (!able.has(userId) || tried.has(place)) continue;
      tried.add(place);
      const holding = holder.get(place);
      if (holding === undefined || seat(holding, tried)) {
        holder.set(place, userId);
        return true;
      }
    }
    return false;
  };
  let filled = 0;
  for (const userId of userIds) {
    // Everyone may be thousands; no more are asked than there are places.
    if (filled === places.length) break;
    if (seat(userId, new Set())) filled += 1;
  }
  return filled;
}

/** People who approved and are still able to, counted against the requirement. */
export function countQuorum(requirement: Requirement, people: People, approverIds: Iterable<string>): Quorum {
  const places = placesOf(requirement, people);
  const received = fillPlaces(places, new Set(approverIds));
  return { received, required: places.length, met: received === places.length };
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
  const everyone = new Set(places.flatMap((able) => [...able]));
  return fillPlaces(places, everyone) === places.length ? [] : names;
}
