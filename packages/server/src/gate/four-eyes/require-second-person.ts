import type { Caller } from '../access/caller.ts';
import { roleOf } from '../access/role-of.ts';
import { roleReaches } from '../access/scopes.ts';
import { GateError } from '../kernel/errors.ts';
import { changeProject, type ProjectChange } from '../projects/change-project.ts';
import type { FourEyesDeps } from './four-eyes-deps.ts';
import { insertProposal } from './insert-proposal.ts';
import type { PolicyProposal, ProposalReader, ProposalWriter } from './policy-proposal.ts';

export interface SecondPersonSetting {
  /** As it is now. */
  required: boolean;
  /** What waits for a second person, when the setting itself is to be ended. */
  proposal: PolicyProposal | null;
}

/**
 * Makes changes of the policy take a second person, or proposes that they shall not any more: that takes the second
 * person itself. By an owner, in a live project. As it is already: nothing happens.
 *
 * @throws GateError `project_not_found`, `forbidden` to everyone but an owner, `conflict` in a test project, when there
 *   is nobody who could be the second person, and while the end of it is proposed already
 */
export function requireSecondPerson(
  gate: FourEyesDeps,
  caller: Caller,
  { projectId, required }: { projectId: string; required: boolean },
): Promise<SecondPersonSetting> {
  return changeProject(gate, caller, projectId, 'policies:write', async (change) => {
    const { project, tx, record } = change;
    assertOwner(change);
    if (project.mode !== 'live') {
      throw new GateError('conflict', 'A test project cannot ask for a second person; a live one can.', {});
    }
    if (project.policySecondPerson === required) return { required, proposal: null };
    if (!required && caller.kind !== 'operator') {
      return { required: true, proposal: await proposeEnd(gate, change) };
    }
    if (required) await assertSecondPersonExists(change);
    await tx.setPolicySecondPerson(projectId, required);
    await record('policy.second_person_updated', { required });
    return { required, proposal: null };
  });
}

function assertOwner({ caller, project }: ProjectChange): void {
  const role = roleOf(caller, project.id);
  if (role !== undefined && roleReaches(role, 'owner')) return;
  throw new GateError('forbidden', 'This setting is an owner’s.', { required: 'role:owner' });
}

async function proposeEnd(
  gate: Pick<FourEyesDeps, 'ids'>,
  change: ProjectChange<ProposalReader & ProposalWriter>,
): Promise<PolicyProposal> {
  const pending = await change.tx.listPolicyProposals(change.project.id, { status: 'pending', limit: 100 });
  if (pending.some((proposal) => proposal.change === 'second_person_off')) {
    throw new GateError('conflict', 'This is proposed already, and waits for a second person.', {});
  }
  return insertProposal(gate, change, {
    change: 'second_person_off',
    hash: null,
    document: null,
    comment: null,
  });
}

/** Else nobody could change the policy any more, but the operator. */
async function assertSecondPersonExists({ tx, project }: ProjectChange): Promise<void> {
  const members = await tx.listMembers(project.id);
  if (members.filter(({ role }) => roleReaches(role, 'admin')).length >= 2) return;
  const message = 'There is nobody yet who could be the second person: it takes another admin or owner.';
  throw new GateError('conflict', message, {});
}
