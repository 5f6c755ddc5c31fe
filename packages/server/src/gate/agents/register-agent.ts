import type { Caller } from '../access/caller.ts';
import { personThrough, withPersonBehind } from '../approvals/people-behind-agent.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import { changeProject, type ProjectChange } from '../projects/change-project.ts';
import { type Agent, type AgentReader, type AgentWriter, NEVER_SEEN } from './agent.ts';
import type { AgentDeps } from './agent-deps.ts';
import { assertMayName } from './agent-owner.ts';
import {
  type AgentChanges,
  BLANK_PROFILE,
  changedProperties,
  changeProfile,
  toWireProfile,
} from './agent-profile.ts';
import { takesSecondPerson } from './takes-second-person.ts';

export type NewAgent = AgentChanges & {
  name: string;
  /**
   * Id of the member who answers for the agent. Only the operator may name a member. Any other caller becomes the
   * owner.
   */
  ownerId?: string;
};

/**
 * Registers an agent, active at once. It cannot send requests before it has a key.
 *
 * @throws GateError `project_not_found`, `conflict` for a name in use; `forbidden`, also for labels, a risk tier or a
 * fingerprint that require a second person. `invalid_fields`, also for an owner named by anyone but the operator.
 */
export function registerAgent(
  gate: AgentDeps,
  caller: Caller,
  input: NewAgent & { projectId: string },
  remember?: Remember<Agent>,
): Promise<Agent> {
  return changeProject(
    gate,
    caller,
    input.projectId,
    'agents:write',
    (change) => insertNewAgent(change, gate.ids.next('agt'), input),
    remember,
  );
}

/** Writes the row and the event of a new agent in the project that the change is for. */
export async function insertNewAgent(
  change: ProjectChange<AgentReader & AgentWriter>,
  id: string,
  profile: NewAgent,
): Promise<Agent> {
  const { tx, now, project, record, caller } = change;
  const ownerId = personThrough(caller) ?? profile.ownerId ?? null;
  if (profile.ownerId !== undefined) await assertMayName(tx, caller, project.id, profile.ownerId);
  const agent: Agent = {
    id,
    projectId: project.id,
    ...changeProfile(BLANK_PROFILE, profile),
    status: 'active',
    ownerId,
    behind: withPersonBehind({ ownerId, behind: [] }, caller, await tx.listMembers(project.id)),
    ownerLeftAt: null,
    createdAt: now,
    ...NEVER_SEEN,
  };
  assertOnePersonRegisters(change, agent);
  await assertNameFree(tx, agent);
  await tx.insertAgent(agent);
  await record('agent.registered', { agent_id: agent.id, ...toWireProfile(agent) });
  return agent;
}

/**
 * Under the two-person rule, refuses members that rules depend on. The name is exempt although rules can use it: a name
 * in use is refused anyway.
 */
function assertOnePersonRegisters(change: ProjectChange, agent: Agent): void {
  const changed = changedProperties({ ...agent, ...BLANK_PROFILE, name: agent.name }, agent);
  if (!takesSecondPerson(change, changed)) return;
  throw new GateError(
    'forbidden',
    'The two-person rule is on. Register the agent without labels, risk tier and fingerprint. Then propose these as a change for another admin or owner to approve.',
    { required: 'second_person' },
  );
}

/** Revoked agents keep their names, so that a name in the audit log never means two agents. */
export async function assertNameFree(
  tx: AgentReader,
  agent: Pick<Agent, 'id' | 'projectId' | 'name'>,
): Promise<void> {
  const holder = await tx.findAgentByName(agent.projectId, agent.name);
  if (holder && holder.id !== agent.id)
    throw new GateError('conflict', `There is already an agent named ${holder.name} in this project.`, {});
}
