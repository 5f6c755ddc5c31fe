/** So many different people out of these: e-mail addresses, group names, or `role:<role>` (that role or above). */
export interface RequirementEntry {
  from: readonly string[];
  count: number;
}

/** Every entry must be met; a person fills one place. Empty: nobody needs to approve. */
export type Requirement = readonly RequirementEntry[];
