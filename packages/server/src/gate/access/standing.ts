import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import type { AgentStatus } from './agent-identity.ts';

/**
 * Why nothing can be created or used at the moment, whatever the request: the emergency stop, or the agent's status.
 */
export type StandingProblem = 'project_stopped' | 'agent_paused' | 'agent_revoked';

const SENTENCES: Record<StandingProblem, string> = {
  project_stopped: 'This project is stopped. Nothing can be created or used until an admin starts it again.',
  agent_paused: 'This agent is paused and cannot send requests or use permits. An admin can resume it.',
  agent_revoked: 'This agent was revoked permanently. Register a new one.',
};

export function findStandingProblem(
  project: { stoppedAt: Instant | null },
  agent: { status: AgentStatus } | null,
): StandingProblem | null {
  if (agent?.status === 'revoked') return 'agent_revoked';
  if (project.stoppedAt !== null) return 'project_stopped';
  return agent?.status === 'paused' ? 'agent_paused' : null;
}

export function assertGoodStanding(
  project: { stoppedAt: Instant | null },
  agent: { status: AgentStatus } | null,
): void {
  const problem = findStandingProblem(project, agent);
  if (problem) throw new GateError(problem, SENTENCES[problem], {});
}
