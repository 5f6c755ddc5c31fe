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
   * The one person who answers for it: the person who registered it, whom the operator named, or the admin who took it
   * over. Null: the operator registered it and named nobody.
   */
  ownerId: string | null;
}
