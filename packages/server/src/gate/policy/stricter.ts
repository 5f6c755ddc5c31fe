/** Compares the requirement that an approval met with the policy's current requirement. */
import type { Requirement, RequirementEntry } from '../approvals/requirement.ts';

/** The key is equal for entries with the same lists of names and the same rule about programs. */
function keyOf({ from, programs, orNamed = [] }: RequirementEntry): string {
  return JSON.stringify([namesOf(from), programs === true, namesOf(orNamed)]);
}

function namesOf(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}

/** Total count per kind of entry. Two entries with the same group require two approvals from it. */
function totals(requirement: Requirement, keyed: (entry: RequirementEntry) => string): Map<string, number> {
  const totals = new Map<string, number>();
  for (const entry of requirement) {
    const key = keyed(entry);
    totals.set(key, entry.count + (totals.get(key) ?? 0));
  }
  return totals;
}

function coversByKey(
  fixed: Requirement,
  current: Requirement,
  keyed: (entry: RequirementEntry) => string,
): boolean {
  const covered = totals(fixed, keyed);
  return [...totals(current, keyed)].every(([key, count]) => count <= (covered.get(key) ?? 0));
}

/**
 * Whether `current` requires nothing beyond `fixed`, so that votes that met `fixed` also meet `current`. May return
 * false although that is so.
 *
 * @example requirementCovers([{ from: ['a'], count: 2 }], [{ from: ['a'], count: 1 }]) // true
 */
export function requirementCovers(fixed: Requirement, current: Requirement): boolean {
  if (coversByKey(fixed, current, keyOf)) return true;
  const byNames = ({ from }: RequirementEntry) => JSON.stringify(namesOf(from));
  return coversByKey(fixed, current, byNames) && current.every((entry) => admitsAll(entry, fixed, byNames));
}

/** Whether this entry admits everybody who could fill a slot of the same list under `fixed`. */
function admitsAll(
  entry: RequirementEntry,
  fixed: Requirement,
  keyed: (entry: RequirementEntry) => string,
): boolean {
  const groups = new Set(entry.orNamed ?? []);
  return fixed
    .filter((before) => keyed(before) === keyed(entry))
    .every(
      (before) =>
        (before.programs !== true || entry.programs === true) &&
        (before.orNamed ?? []).every((group) => groups.has(group)),
    );
}
