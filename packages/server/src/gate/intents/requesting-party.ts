import type { SourceType } from '@permitry/protocol';
import type { AgentCaller, SecretCaller } from '../access/caller.ts';
import type { Agent } from '../agents/agent.ts';
import { GateError } from '../kernel/errors.ts';
import type { Requester } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/** The sender of a request, and the agent that the request runs as. */
export interface RequestingParty {
  requester: Requester;
  /** The registered agent that the request runs as, with its status at the caller's revision. */
  agent: Pick<Agent, 'id' | 'name' | 'status' | 'riskTier' | 'labels'> | null;
  source: string | null;
  sourceType: SourceType;
}

/** Takes the requester from the credential. Refuses a source that names another agent than the key's own. */
export async function identifyParty(
  gate: Pick<IntentDeps, 'storage'>,
  caller: AgentCaller | SecretCaller,
  request: { source?: string; sourceType?: SourceType },
): Promise<RequestingParty> {
  if (caller.kind === 'agent') {
    const { agent } = caller;
    if (request.source !== undefined && request.source !== agent.name && request.source !== agent.id) {
      throw new GateError(
        'forbidden',
        `This key belongs to the agent ${agent.name}; it cannot name another source.`,
        {
          required: 'source',
        },
      );
    }
    return {
      requester: { type: 'agent', id: agent.id, display: agent.name, ownerId: agent.ownerId },
      agent,
      source: agent.name,
      sourceType: request.sourceType ?? 'ai_agent',
    };
  }
  const { source = null } = request;
  return {
    requester: { type: 'key', id: caller.credentialId, display: caller.keyName, ownerId: caller.owner.id },
    agent: source === null ? null : await findAgentNamed(gate, caller.projectId, source),
    source,
    sourceType: request.sourceType ?? 'service',
  };
}

/** A source that is the name or id of a registered agent refers to that agent. Any other source is a label. */
async function findAgentNamed(
  gate: Pick<IntentDeps, 'storage'>,
  projectId: string,
  source: string,
): Promise<Agent | null> {
  const { read } = gate.storage;
  const found = (await read.findAgentByName(projectId, source)) ?? (await read.findAgent(projectId, source));
  return found ?? null;
}
