import type { Role } from '@permitry/protocol';
import type { Caller } from '../../gate/access/caller.ts';
import type { Member } from '../../gate/approvals/people.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Remember } from '../../gate/kernel/idempotency.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { changeProject } from '../../gate/projects/change-project.ts';
import { EMAIL_RULE, toEmailAddress } from '../../gate/projects/email-address.ts';
import { ensureUser } from '../../gate/projects/ensure-user.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { broughtInThrough } from './brought-in.ts';
import { assertReaches, roleToGive } from './membership-rules.ts';

/**
 * Makes a person a member under this address.
 * @throws GateError `project_not_found`, `forbidden` also for a role above the caller's own, `invalid_fields`,
 * `conflict` for a member
 */
export function addMember(
  gate: PeopleDeps,
  caller: Caller,
  input: { projectId: string; email: string; role: Role },
  remember?: Remember<Member>,
): Promise<Member> {
  const { projectId, role } = input;
  return changeProject(
    gate,
    caller,
    projectId,
    'members:write',
    async (change) => {
      const { tx, now, record } = change;
      const email = toEmailAddress(input.email);
      if (email === undefined) throw invalidFields({ path: '/email', message: EMAIL_RULE });
      assertReaches(change.caller, projectId, roleToGive(change.project, role));

      const user = await ensureUser(gate, tx, email, now);
      const members = await tx.listMembers(projectId);
      if (members.some((member) => member.userId === user.id))
        throw new GateError('conflict', `${email} is already a member. Change their role instead.`, {});
      const broughtInBy = broughtInThrough(change.caller, members);
      const member: Member = { projectId, userId: user.id, email, role, createdAt: now, broughtInBy };
      await tx.saveMember(member);
      await record('member.added', { user_id: user.id, email, role }, ['/data/email']);
      return member;
    },
    remember,
  );
}
