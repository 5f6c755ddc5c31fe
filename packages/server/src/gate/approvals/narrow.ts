/** What a request may say about who approves it: it narrows what policy asks, and never replaces it. */

import { ableFor } from './able-for.ts';
import { fillSlots, slotsOf } from './fill-slots.ts';
import type { People } from './people.ts';
import { countSlots, type Requirement, type RequirementEntry } from './requirement.ts';

/** The request's own words about its approvers. */
interface OwnTerms {
  /** Addresses, groups and roles; none: it names nobody. */
  approvers: readonly string[];
  /** How many different people must have approved; null: it does not say. */
  minApprovals: number | null;
}

/**
 * The requirement as this request asks for it, with the people there are now. An entry that somebody named could fill
 * takes its votes from the people named alone; an entry that none of them could fill stays whole. Where the requester
 * may not narrow, its names count for the groups in `orNamed` alone.
 *
 * @example narrowRequirement([{ from: ['role:approver'], count: 1 }], ['finance'], true, people)
 * // [{ from: ['role:approver'], count: 1, among: ['finance'] }]
 */
export function narrowRequirement(
  requirement: Requirement,
  names: readonly string[],
  mayNarrow: boolean,
  people: People,
): Requirement {
  return requirement.map((entry) => narrowEntry(entry, names, mayNarrow, people));
}

function narrowEntry(
  entry: RequirementEntry,
  names: readonly string[],
  mayNarrow: boolean,
  people: People,
): RequirementEntry {
  const { orNamed, ...whole } = entry;
  if (names.length === 0) return whole;
  if (!mayNarrow) return orNamed === undefined ? whole : { ...entry, beside: names };
  const narrowed = { ...entry, among: names };
  return ableFor(narrowed, people).size > 0 ? narrowed : whole;
}

/**
 * Whether enough different people could approve: one for each place, and as many as the request asks for, each able to
 * fill a place. False as well for a name that is unknown, and for names that could fill no place.
 *
 * @param requirement As `narrowRequirement` answers it.
 */
export function isMeetable(requirement: Requirement, own: OwnTerms, people: People): boolean {
  const { approvers, minApprovals } = own;
  if (!approvers.every((name) => people.knows(name))) return false;
  if (approvers.length > 0 && !requirement.some((entry) => isServed(entry, people))) return false;
  const slots = countSlots(requirement);
  const wanted = Math.max(slots, minApprovals ?? 0);
  const [first] = requirement;
  // One place is the everyday case; it needs no matching.
  if (wanted <= 1) return first === undefined || ableFor(first, people).size > 0;
  return canFillAll(requirement, people) && (wanted === slots || countAble(requirement, people) >= wanted);
}

/** Whether one of the people named could fill a place of this entry. */
function isServed({ beside, ...entry }: RequirementEntry, people: People): boolean {
  if (beside === undefined) return entry.among !== undefined;
  return ableFor({ ...entry, among: beside }, people).size > 0;
}

function countAble(requirement: Requirement, people: People): number {
  return new Set(requirement.flatMap((entry) => [...ableFor(entry, people)])).size;
}

function canFillAll(requirement: Requirement, people: People): boolean {
  return fillSlots(slotsOf(requirement, (entry) => ableFor(entry, people))).every((filled) => filled);
}
