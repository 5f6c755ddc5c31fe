/** A request may narrow which approvers the policy asks for, and never replaces them. */

import { ableFor } from './able-for.ts';
import { fillSlots, slotsOf } from './fill-slots.ts';
import type { People } from './people.ts';
import { countSlots, type Requirement, type RequirementEntry } from './requirement.ts';

/** What the request says about its approvers. */
interface OwnTerms {
  /** Addresses, groups and roles. Empty: the request names nobody. */
  approvers: readonly string[];
  /** How many different people must approve. Null: the request does not say. */
  minApprovals: number | null;
}

/**
 * The requirement for this request with the current people. If a named person could fill an entry, only named people
 * can. An entry that no named person could fill stays whole. If the requester may not narrow, the names in the request
 * count only for the groups in `orNamed`.
 *
 * @example
 * narrowRequirement([{ from: ['role:approver'], count: 1 }], ['finance'], true, people)
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
 * Whether enough different people could approve: one for each slot, and as many as the request asks for, each able to
 * fill a slot. Also false for an unknown name, and for names that could fill no slot.
 *
 * @param requirement As returned by `narrowRequirement`.
 */
export function isMeetable(requirement: Requirement, own: OwnTerms, people: People): boolean {
  const { approvers, minApprovals } = own;
  if (!approvers.every((name) => people.knows(name))) return false;
  if (approvers.length > 0 && !requirement.some((entry) => isServed(entry, people))) return false;
  const slots = countSlots(requirement);
  const wanted = Math.max(slots, minApprovals ?? 0);
  const [first] = requirement;
  // One slot is the usual case and needs no matching.
  if (wanted <= 1) return first === undefined || ableFor(first, people).size > 0;
  return canFillAll(requirement, people) && (wanted === slots || countAble(requirement, people) >= wanted);
}

/** Whether one of the named people could fill a slot of this entry. */
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
