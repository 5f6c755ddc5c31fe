import type { JsonObject, RiskTier } from '@permitry/protocol';

export type AgentStatus = 'active' | 'paused' | 'revoked';

/** What the look-up of an agent's key returns about the agent. */
export interface AgentIdentity {
  id: string;
  name: string;
  framework: string | null;
  labels: JsonObject;
  /** The minimum risk of its requests. */
  riskTier: RiskTier;
  status: AgentStatus;
  /**
   * The one person who answers for the agent: the person who registered it, the person whom the operator named, or the
   * admin who took it over. Null: the operator registered the agent and named nobody.
   */
  ownerId: string | null;
}
