import { assertReads } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { notFound } from '../kernel/not-found.ts';
import { type Page, type PageRequest, pageByIds } from '../kernel/page.ts';
import type { Agent, AgentReader } from './agent.ts';
import type { AgentDeps } from './agent-deps.ts';

/** Newest first, including revoked ones. */
export async function listAgents(
  gate: Pick<AgentDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<Agent>> {
  const { read } = gate.storage;
  await assertReads(read, caller, 'agents:read', input.projectId);
  return pageByIds(input, 'agt_', (page) => read.listAgents(input.projectId, page));
}

/** @throws GateError `project_not_found`, `forbidden`, `not_found` */
export async function getAgent(
  gate: Pick<AgentDeps, 'storage'>,
  caller: Caller,
  input: { projectId: string; agentId: string },
): Promise<Agent> {
  await assertReads(gate.storage.read, caller, 'agents:read', input.projectId);
  return findOwnAgent(gate.storage.read, input);
}

/** The agent, if it belongs to this project. Throws `not_found`. */
export async function findOwnAgent(
  reader: AgentReader,
  { projectId, agentId }: { projectId: string; agentId: string },
): Promise<Agent> {
  const agent = await reader.findAgent(projectId, agentId);
  if (!agent) throw notFound('agent in this project');
  return agent;
}
