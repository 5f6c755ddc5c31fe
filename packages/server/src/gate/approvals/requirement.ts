/** A number of different people out of these: email addresses, group names, or `role:<role>` (that role or above). */
export interface RequirementEntry {
  from: readonly string[];
  count: number;
  /** In live mode a program's approval can fill these slots too. Omitted: only a person's can. */
  programs?: true;
  /** Groups. A member of these groups whom the request names can fill these slots in addition to `from`. */
  orNamed?: readonly string[];
  /** Names in the request that narrow this entry: only people with one of these names can fill its slots. */
  among?: readonly string[];
  /** Names in the request when the policy does not let the request narrow this entry. They count only for `orNamed`. */
  beside?: readonly string[];
}

/** Every entry must be met, and a person fills one slot. Empty: nobody needs to approve. */
export type Requirement = readonly RequirementEntry[];

export function countSlots(requirement: Requirement): number {
  return requirement.reduce((slots, { count }) => slots + count, 0);
}
