/** An agent's life: active and paused any number of times, and revoked once, forever. */
import type { EventType } from '@permitry/protocol';
import type { AgentStatus } from '../access/agent-identity.ts';
import type { Caller } from '../access/caller.ts';
import type { Scope } from '../access/scopes.ts';
import { GateError } from '../kernel/errors.ts';
import { changeProject } from '../projects/change-project.ts';
import type { Agent } from './agent.ts';
import type { AgentDeps } from './agent-deps.ts';
import { findOwnAgent } from './read-agents.ts';

interface Transition {
  from: readonly AgentStatus[];
  to: AgentStatus;
  event: EventType;
  /** Pausing has a scope of its own, which programs have in live mode too. */
  scope: Scope;
}

const PAUSE: Transition = { from: ['active'], to: 'paused', event: 'agent.paused', scope: 'agents:stop' };
const RESUME: Transition = { from: ['paused'], to: 'active', event: 'agent.resumed', scope: 'agents:write' };
const REVOKE: Transition = {
  from: ['active', 'paused'],
  to: 'revoked',
  event: 'agent.revoked',
  scope: 'agents:stop',
};

type AgentInput = { projectId: string; agentId: string };

/**
 * Blocks everything the agent does, from the next request on: no create, no verify, no consume. Idempotent.
 *
 * @throws GateError `project_not_found`, `forbidden`, `not_found`, `conflict` when the agent is revoked
 */
export function pauseAgent(gate: AgentDeps, caller: Caller, input: AgentInput): Promise<Agent> {
  return move(gate, caller, input, PAUSE);
}

/** Ends a pause. Idempotent; throws as `pauseAgent` does. */
export function resumeAgent(gate: AgentDeps, caller: Caller, input: AgentInput): Promise<Agent> {
  return move(gate, caller, input, RESUME);
}

/**
 * Revokes the agent for good. Its unused permits no longer authorise anything. Idempotent.
 *
 * Its keys stay, so that a program that still uses one learns that the agent was revoked, not that the key is unknown.
 */
export function revokeAgent(gate: AgentDeps, caller: Caller, input: AgentInput): Promise<Agent> {
  return move(gate, caller, input, REVOKE);
}

function move(
  gate: AgentDeps,
  caller: Caller,
  input: AgentInput,
  { from, to, event, scope }: Transition,
): Promise<Agent> {
  return changeProject(gate, caller, input.projectId, scope, async ({ tx, record }) => {
    const before = await findOwnAgent(tx, input);
    if (await tx.setAgentStatus(input.agentId, from, to)) {
      await tx.bumpReceiptStatusRevision();
      await record(event, { agent_id: before.id, name: before.name });
      return { ...before, status: to };
    }
    // Reads the agent again, because another request may have changed its status first.
    const now = await findOwnAgent(tx, input);
    if (now.status === to) return now;
    throw new GateError('conflict', `This agent is ${now.status}, which is final.`, {});
  });
}
