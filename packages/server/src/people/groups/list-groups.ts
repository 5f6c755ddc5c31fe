import { assertReads } from '../../gate/access/assert-scope.ts';
import type { Caller } from '../../gate/access/caller.ts';
import type { Group } from '../../gate/approvals/people.ts';
import { type Page, type PageRequest, pageOfSet } from '../../gate/kernel/page.ts';
import type { PeopleDeps } from '../people-deps.ts';

/** Newest first. */
export async function listGroups(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<Group>> {
  const { read } = gate.storage;
  await assertReads(read, caller, 'members:read', input.projectId);
  const groups = await read.listGroups(input.projectId);
  return pageOfSet(input, groups, (group) => `${group.createdAt}~${group.name}`);
}
