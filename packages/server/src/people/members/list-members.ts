import { assertScope } from '../../gate/access/assert-scope.ts';
import type { Caller } from '../../gate/access/caller.ts';
import type { Member } from '../../gate/approvals/people.ts';
import { unknownProject } from '../../gate/kernel/not-found.ts';
import { type Page, type PageRequest, pageOfSet } from '../../gate/kernel/page.ts';
import type { PeopleDeps } from '../people-deps.ts';

/** Newest first. */
export async function listMembers(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<Member>> {
  const { read } = gate.storage;
  assertScope(caller, 'members:read', input.projectId);
  if (!(await read.findProject(input.projectId))) throw unknownProject();
  const members = await read.listMembers(input.projectId);
  return pageOfSet(input, members, (member) => `${member.createdAt}~${member.userId}`);
}
