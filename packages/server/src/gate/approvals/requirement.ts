/** So many different people out of these: e-mail addresses, group names, or `role:<role>` (that role or above). */
export interface RequirementEntry {
  from: readonly string[];
  count: number;
  /** In live mode the approval of a program fills these places, too. Left out: only a person's does. */
  programs?: true;
  /** Groups: those of their members whom the request names fill these places beside `from`. */
  orNamed?: readonly string[];
  /** Names in the request, which narrow this entry: only people who go by one of them fill its places. */
  among?: readonly string[];
  /** Names in the request where policy lets it narrow nothing: they count for `orNamed` alone. */
  beside?: readonly string[];
}

/** Every entry must be met; a person fills one place. Empty: nobody needs to approve. */
export type Requirement = readonly RequirementEntry[];

export function countSlots(requirement: Requirement): number {
  return requirement.reduce((slots, { count }) => slots + count, 0);
}
