/** Texts of the groups of a project. */
import type { ReactNode } from 'react';
import { formatCount } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const title = 'Groups';
export const lead =
  'Named sets of members. A policy can require approvals from a group, for example two from finance, while its members come and go.';
export const empty = {
  title: 'No groups yet',
  lead: 'A policy can require approvals from a group. Until one does, any approver of the project can decide.',
} as const;
export const groupList = 'Groups of this project';
export const columns = { group: 'Group', members: 'Members' } as const;
export const noMembers = 'Empty: requests that need this group can’t be approved';
export const andMore = (count: number) => ` and ${formatCount(count)} more`;

export const create = 'Create group';
export const created = (group: string) => `Created the group ${group}.`;
export const name = 'Name';
export const nameHint = 'Policies use this name, for example finance. You can’t change it later.';

export const edit = 'Edit members';
export const editNamed = (group: string) => `Edit members of ${group}`;
export const membersOf = (group: string) => `Members of ${group}`;
export const save = 'Save members';
export const changed = (group: string) => `Changed the group ${group}.`;

export const remove = 'Remove';
export const removeNamed = (group: string) => `Remove the group ${group}`;
export const removeTitle = 'Remove this group?';
export const removeGroup = 'Remove group';
export const removed = (group: string) => `Removed the group ${group}.`;
export const removeConsequence = (group: ReactNode) =>
  say`The members of ${group} stay in the project. Pending requests that need the group can no longer be approved. A group that the active policy requires can’t be removed.`;

export const picker = {
  legend: 'Members',
  search: 'Search members',
  searchShort: 'Search',
  noMatch: 'No members found.',
  viewer: 'Viewers can’t approve, even in a group.',
} as const;
export const selected = (count: number) =>
  count === 1 ? '1 member selected' : `${formatCount(count)} members selected`;
