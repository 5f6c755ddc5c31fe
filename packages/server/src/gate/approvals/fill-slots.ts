import type { Requirement, RequirementEntry } from './requirement.ts';

interface Slot {
  able: ReadonlySet<string>;
}

/** One list of people per slot. An entry of count 2 is two slots. */
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
 * Fills as many slots as possible, when each person fills at most one: maximum bipartite matching by augmenting paths
 * (Kuhn). A person in two of the required groups does not count for both.
 *
 * A person without a slot fills one without any search. The search only visits people who already fill a slot. So the
 * effort depends on the number of slots, not on the number of people.
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
  // A person may move to another slot, but a filled slot stays filled.
  return slots.map((able) => fill({ able }, new Set()));
}
