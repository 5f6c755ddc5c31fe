import type { Role } from '@permitry/protocol';
import type { Caller } from '../../gate/access/caller.ts';
import type { Member } from '../../gate/approvals/people.ts';
import { changeProject } from '../../gate/projects/change-project.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { assertOwnerRemains, assertReaches, findMember, roleToGive } from './membership-rules.ts';

/**
 * Gives a member another role. The new role applies to the member and their programs from the next request on.
 * @throws GateError `project_not_found`, `forbidden` also when either role is above the caller's own, `not_found`,
 * `conflict` for the last owner
 */
export function changeRole(
  gate: PeopleDeps,
  caller: Caller,
  input: { projectId: string; userId: string; role: Role },
): Promise<Member> {
  const { projectId, userId, role } = input;
  return changeProject(gate, caller, projectId, 'members:write', async (change) => {
    const members = await change.tx.listMembers(projectId);
    const member = findMember(members, userId);
    assertReaches(change.caller, projectId, member.role);
    assertReaches(change.caller, projectId, roleToGive(change.project, role));
    if (member.role === role) return member;
    assertOwnerRemains(members, userId, role);

    const changed: Member = { ...member, role };
    await change.tx.saveMember(changed);
    await change.record(
      'member.updated',
      { user_id: userId, email: member.email, role, previous_role: member.role },
      ['/data/email'],
    );
    return changed;
  });
}
