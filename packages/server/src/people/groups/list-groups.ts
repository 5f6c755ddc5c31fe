import { assertScope } from '../../gate/access/assert-scope.ts';
import type { Caller } from '../../gate/access/caller.ts';
import type { Group } from '../../gate/approvals/people.ts';
import { unknownProject } from '../../gate/kernel/not-found.ts';
import { type Page, type PageRequest, pageOfSet } from '../../gate/kernel/page.ts';
import type { PeopleDeps } from '../people-deps.ts';

/** Newest first. */
export async function listGroups(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<Group>> {
  const { read } = gate.storage;
  assertScope(caller, 'members:read', input.projectId);
  if (!(await read.findProject(input.projectId))) throw unknownProject();
  const groups = await read.listGroups(input.projectId);
  return pageOfSet(input, groups, (group) => `${group.createdAt}~${group.name}`);
}
