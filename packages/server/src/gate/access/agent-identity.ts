import type { JsonObject, RiskTier } from '@permitry/protocol';

export type AgentStatus = 'active' | 'paused' | 'revoked';

/** What looking up an agent's key tells about the agent. */
export interface AgentIdentity {
  id: string;
  name: string;
  framework: string | null;
  labels: JsonObject;
  /** Its requests are never below this tier. */
  riskTier: RiskTier;
  status: AgentStatus;
  /**
   * The one person who answers for it: who registered it, whom the operator named, or the admin who took it over. Null:
   * the operator registered it and named nobody.
   */
  ownerId: string | null;
}
