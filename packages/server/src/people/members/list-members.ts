import { assertReads } from '../../gate/access/assert-scope.ts';
import type { Caller } from '../../gate/access/caller.ts';
import type { Member } from '../../gate/approvals/people.ts';
import { type Page, type PageRequest, pageOfSet } from '../../gate/kernel/page.ts';
import type { PeopleDeps } from '../people-deps.ts';

/** Newest first. */
export async function listMembers(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<Member>> {
  const { read } = gate.storage;
  await assertReads(read, caller, 'members:read', input.projectId);
  const members = await read.listMembers(input.projectId);
  return pageOfSet(input, members, (member) => `${member.createdAt}~${member.userId}`);
}
