import type { SessionCaller } from '../../gate/access/caller.ts';
import type { Member } from '../../gate/approvals/people.ts';
import { changeProject } from '../../gate/projects/change-project.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { findMember } from './membership-rules.ts';
import { endMembership } from './remove-member.ts';

/**
 * Removes the caller from a project, whatever their role: nobody else has to allow it.
 * @throws GateError `project_not_found`, `conflict` for the last owner
 */
export function leaveProject(
  gate: PeopleDeps,
  caller: SessionCaller,
  { projectId }: { projectId: string },
): Promise<Member> {
  return changeProject(gate, caller, projectId, 'project:read', async (change) => {
    const members = await change.tx.listMembers(projectId);
    const member = findMember(members, caller.user.id);
    await endMembership(change, members, member, 'member left');
    return member;
  });
}
