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
   * The one person who answers for the agent. They registered it, were named by the operator, or took it over as an
   * admin. Null: the operator registered the agent and named nobody.
   */
  ownerId: string | null;
}
