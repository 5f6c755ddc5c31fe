import type { People } from './people.ts';
import type { RequirementEntry } from './requirement.ts';

/** Ids of the people who have one of these names and at least the role approver. */
export function peopleNamed(names: readonly string[], people: People): ReadonlySet<string> {
  const [name = '', ...others] = names;
  // A role may include thousands of people, so the set is not copied.
  if (others.length === 0) return people.approversNamed(name);
  return new Set(names.flatMap((each) => [...people.approversNamed(each)]));
}

/** Ids of the people who can fill a slot of this entry. */
export function ableFor(entry: RequirementEntry, people: People): ReadonlySet<string> {
  const { from, orNamed = [], among, beside } = entry;
  const own = peopleNamed(from, people);
  const names = among ?? beside;
  if (names === undefined) return own;
  const chosen = peopleNamed(names, people);
  const kept = among === undefined ? own : own.intersection(chosen);
  const joining = peopleNamed(orNamed, people).intersection(chosen);
  return joining.size === 0 ? kept : kept.union(joining);
}
