import type { Requirement, RequirementEntry } from './requirement.ts';

interface Slot {
  able: ReadonlySet<string>;
}

/** One list of people per place: an entry of count 2 is two places. */
export function slotsOf(
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
export function fillSlots(slots: readonly ReadonlySet<string>[]): boolean[] {
  const filledBy = new Map<string, Slot>();
  const fill = (slot: Slot, tried: Set<string>): boolean => {
    for (const userId of slot.able) {
      if (filledBy.has(userId)) continue;
      filledBy.set(userId, slot);
      return true;
    }
    for (const userId of slot.able) {
      const other = filledBy.get(userId);
      if (!other || tried.has(userId)) continue;
      tried.add(userId);
      if (!fill(other, tried)) continue;
      filledBy.set(userId, slot);
      return true;
    }
    return false;
  };
  // Who holds a place may move to another one, but a place once filled stays so.
  return slots.map((able) => fill({ able }, new Set()));
}
