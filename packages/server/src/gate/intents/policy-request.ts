import { RISK_TIERS, type RiskTier } from '@permitry/protocol';
import type { Agent } from '../agents/agent.ts';
import type { Instant } from '../kernel/instant.ts';
import type { PolicyRequest } from '../policy/outcome.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import type { Intent } from './intent.ts';

/** The parts of an agent that the policy may use. */
export type PolicyAgent = Pick<Agent, 'id' | 'name' | 'riskTier' | 'labels'>;

/** The parts of an intent that the policy evaluates. */
export type PolicySubject = Pick<
  Intent,
  | 'action'
  | 'params'
  | 'metadata'
  | 'source'
  | 'sourceType'
  | 'requestedRiskTier'
  | 'requestedProofTier'
  | 'approvers'
  | 'minApprovals'
  | 'requester'
>;

export function higherTier(one: RiskTier, other: RiskTier): RiskTier {
  return RISK_TIERS.indexOf(one) >= RISK_TIERS.indexOf(other) ? one : other;
}

/** The input of a policy for this intent. */
export function toPolicyRequest(
  intent: PolicySubject,
  agent: PolicyAgent | null,
  now: Instant,
): PolicyRequest {
  return {
    action: intent.action,
    params: intent.params,
    metadata: intent.metadata,
    source: intent.source,
    sourceType: intent.sourceType,
    // An agent's default may have risen since the request was sent. Tiers only rise.
    riskTier: higherTier(intent.requestedRiskTier, agent?.riskTier ?? 'low'),
    proofTier: intent.requestedProofTier,
    // Only an agent's own credential proves the agent. A name that a secret key gave proves nothing.
    agent: intent.requester.type === 'agent' ? agent : null,
    approvers: intent.approvers,
    minApprovals: intent.minApprovals,
    now,
  };
}

/** The registered agent that the intent runs as, according to these settings. */
export async function findIntentAgent(settings: ProjectSettings, intent: Intent): Promise<Agent | null> {
  return intent.agentId === null ? null : settings.agents.find(intent.agentId);
}
