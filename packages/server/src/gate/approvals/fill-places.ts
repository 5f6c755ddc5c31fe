import type { Requirement, RequirementEntry } from './requirement.ts';

interface Place {
  able: ReadonlySet<string>;
}

/** One list of people per place: an entry of count 2 is two places. */
export function placesOf(
  requirement: Requirement,
  ableFor: (entry: RequirementEntry) => ReadonlySet<string>,
): ReadonlySet<string>[] {
  return requirement.flatMap((entry) => {
    const able = ableFor(entry);
    return Array.from({ length: entry.count }, () => able);
  });
}

/**
 * Which places are filled when as many as can be are, and everybody fills at most one: maximum bipartite matching by
 * augmenting paths (Kuhn). Someone in two of the groups asked for does not count for both.
 *
 * Anyone who is free is taken at once, so only those who hold a place are ever searched: the effort goes by the number of
 * places, however many people there are.
 */
export function fillPlaces(places: readonly ReadonlySet<string>[]): boolean[] {
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
