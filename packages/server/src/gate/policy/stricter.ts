/** "Policy asked again": what an approval was asked for, against what would be asked for now. */
import type { Requirement, RequirementEntry } from '../approvals/requirement.ts';

/** Total count per distinct set of approvers: two entries from one group are two places in it. */
function totals(requirement: Requirement): Map<string, RequirementEntry> {
  const totals = new Map<string, RequirementEntry>();
  for (const { from, count } of requirement) {
    const names = [...new Set(from)].toSorted();
    const key = JSON.stringify(names);
    totals.set(key, { from: names, count: count + (totals.get(key)?.count ?? 0) });
  }
  return totals;
}

/**
 * Both at once, the stricter of the two for each list of approvers.
 *
 * @example mergeRequirements([{ from: ['a'], count: 1 }], [{ from: ['a'], count: 2 }]) // [{ from: ['a'], count: 2 }]
 */
export function mergeRequirements(fixed: Requirement, current: Requirement): Requirement {
  const merged = totals(fixed);
  for (const [key, entry] of totals(current)) {
    if (entry.count > (merged.get(key)?.count ?? 0)) merged.set(key, entry);
  }
  return [...merged.values()];
}

/** Whether `current` asks for nothing beyond `fixed`. */
export function requirementCovers(fixed: Requirement, current: Requirement): boolean {
  const covered = totals(fixed);
  return [...totals(current)].every(([key, entry]) => entry.count <= (covered.get(key)?.count ?? 0));
}
