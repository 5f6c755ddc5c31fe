import type { JsonObject } from '@permitry/protocol';
import type { Agent } from '../../agents/agent.ts';
import type { IntentRequest } from '../../intents/draft-intent.ts';
import { toPolicyRequest } from '../../intents/policy-request.ts';
import type { FieldProblem } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/instant.ts';
import { invalidFields } from '../../kernel/invalid-fields.ts';
import { parseInstant } from '../../kernel/parse-instant.ts';
import type { PolicyRequest } from '../../policy/outcome.ts';
import type { PolicyDeps } from '../policy-deps.ts';

/** A sample intent. */
export interface GivenIntent extends Omit<IntentRequest, 'params' | 'expiresInSeconds'> {
  params?: JsonObject;
  /** The registered agent whose key would create the intent. Default: a secret key. */
  agentId?: string;
  /** When the intent would be created, ISO 8601. Default: now. */
  at?: string;
}

/**
 * Makes the policy requests for these sample intents.
 *
 * @param pathOf Path of the intent in the request, for problems with that intent.
 * @throws GateError `invalid_fields`, with every agent that is not registered here and every source that differs from
 * the agent's own name
 */
export async function toGivenRequests(
  gate: Pick<PolicyDeps, 'clock' | 'storage'>,
  projectId: string,
  given: readonly GivenIntent[],
  pathOf = (index: number): string => `/intents/${index}`,
): Promise<readonly PolicyRequest[]> {
  const now = gate.clock.now();
  const agents = new Map<string, Agent | undefined>();
  const problems: FieldProblem[] = [];
  const requests: PolicyRequest[] = [];
  for (const [index, intent] of given.entries()) {
    const { agentId, source } = intent;
    if (agentId !== undefined && !agents.has(agentId)) {
      agents.set(agentId, await gate.storage.read.findAgent(projectId, agentId));
    }
    const agent = agentId === undefined ? undefined : agents.get(agentId);
    if (agentId !== undefined && !agent) {
      problems.push({ path: `${pathOf(index)}/agent_id`, message: 'No such agent is registered.' });
    } else if (agent && source !== undefined && source !== agent.name && source !== agent.id) {
      const message = `Its key belongs to the agent ${agent.name}; it cannot name another source.`;
      problems.push({ path: `${pathOf(index)}/source`, message });
    } else {
      const at = parseInstant(`${pathOf(index)}/at`, intent.at) ?? now;
      requests.push(toRequest(intent, agent ?? null, at));
    }
  }
  if (problems.length > 0) throw invalidFields(...problems);
  return requests;
}

/**
 * Builds the request as `submitIntent` would. A source that names a registered agent is only a label here, because
 * the name may be reassigned.
 */
function toRequest(given: GivenIntent, agent: Agent | null, at: Instant): PolicyRequest {
  const subject = {
    action: given.action,
    params: given.params ?? {},
    metadata: given.metadata ?? {},
    source: agent?.name ?? given.source ?? null,
    sourceType: given.sourceType ?? (agent ? 'ai_agent' : 'service'),
    requestedRiskTier: given.riskTier ?? 'low',
    requestedProofTier: given.proofTier ?? 'none',
    approvers: given.approvers ?? [],
    minApprovals: given.minApprovals ?? null,
    requester: {
      type: agent ? ('agent' as const) : ('key' as const),
      id: '',
      display: '',
      ownerId: null,
    },
  };
  return toPolicyRequest(subject, agent, at);
}
