import type { Role } from '@permitry/protocol';
import type { Caller } from '../../gate/access/caller.ts';
import { roleOf } from '../../gate/access/role-of.ts';
import { roleReaches } from '../../gate/access/scopes.ts';
import type { Member } from '../../gate/approvals/people.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import type { Project } from '../../gate/projects/project.ts';

/** Nobody gives, changes or removes a role above their own. So only an owner makes an owner. */
export function assertReaches(caller: Caller, projectId: string, role: Role): void {
  const own = roleOf(caller, projectId);
  if (own === undefined || !roleReaches(own, role))
    throw new GateError(
      'forbidden',
      `You cannot give, change or remove a role above your own. This requires the role ${role}.`,
      {
        required: `role:${role}`,
      },
    );
}

/**
 * The lowest role that may give this one. Where policy changes need two people, an admin must not be able to appoint
 * the second.
 */
export function roleToGive({ policySecondPerson }: Project, role: Role): Role {
  return policySecondPerson && roleReaches(role, 'admin') ? 'owner' : role;
}

/**
 * Throws for the last owner: without an owner, a project could never get one again. `role` is the member's new role, or
 * null if they leave.
 */
export function assertOwnerRemains(members: readonly Member[], userId: string, role: Role | null): void {
  if (role === 'owner') return;
  const owners = members.filter((member) => member.role === 'owner');
  if (owners.length === 1 && owners[0]?.userId === userId)
    throw new GateError('conflict', 'This is the last owner; make somebody else an owner first.', {});
}

export function findMember(members: readonly Member[], userId: string): Member {
  const member = members.find((candidate) => candidate.userId === userId);
  if (!member) throw notFound('member in this project');
  return member;
}
