import type { Caller } from '../access/caller.ts';
import { roleOf } from '../access/role-of.ts';
import { roleReaches } from '../access/scopes.ts';
import { GateError } from '../kernel/errors.ts';
import { changeProject, type ProjectChange } from '../projects/change-project.ts';
import type { FourEyesDeps } from './four-eyes-deps.ts';
import { insertProposal } from './insert-proposal.ts';
import type { PolicyProposal, ProposalReader, ProposalWriter } from './policy-proposal.ts';

export interface SecondPersonSetting {
  /** The current setting. */
  required: boolean;
  /** The proposal to switch the setting off, which waits for a second person. Null: there is none. */
  proposal: PolicyProposal | null;
}

/**
 * Switches on the two-person rule, or proposes to switch it off, which itself needs a second person. Only for an owner
 * of a live project. An equal setting changes nothing.
 *
 * @throws GateError `project_not_found`, `forbidden` to everyone but an owner, `conflict` in a test project, when
 *   nobody could be the second person, and while switching it off is already proposed
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
      throw new GateError('conflict', 'Only a live project can have the two-person rule.', {});
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
  throw new GateError('forbidden', 'Only an owner can change this setting.', { required: 'role:owner' });
}

async function proposeEnd(
  gate: Pick<FourEyesDeps, 'ids'>,
  change: ProjectChange<ProposalReader & ProposalWriter>,
): Promise<PolicyProposal> {
  const pending = await change.tx.listPolicyProposals(change.project.id, { status: 'pending', limit: 100 });
  if (pending.some((proposal) => proposal.change === 'second_person_off')) {
    throw new GateError(
      'conflict',
      'This change is already proposed, and needs another person’s approval.',
      {},
    );
  }
  return insertProposal(gate, change, {
    change: 'second_person_off',
    hash: null,
    document: null,
    comment: null,
  });
}

/** Without a second person, only the operator could change the policy. */
async function assertSecondPersonExists({ tx, project }: ProjectChange): Promise<void> {
  const members = await tx.listMembers(project.id);
  if (members.filter(({ role }) => roleReaches(role, 'admin')).length >= 2) return;
  const message = 'Nobody could approve changes yet: the project needs another admin or owner.';
  throw new GateError('conflict', message, {});
}
