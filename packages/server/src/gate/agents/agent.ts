import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { Instant } from '../instant.ts';

export type AgentStatus = 'active' | 'paused' | 'revoked';

/** A registered agent. `name`, all ASCII, is unique in its project whatever its case. */
export interface Agent {
  id: string;
  projectId: string;
  name: string;
  fingerprint: string | null;
  framework: string | null;
  labels: JsonObject;
  /** Its requests are never below this tier. */
  riskTier: RiskTier;
  status: AgentStatus;
  createdAt: Instant;
  lastSeenAt: Instant | null;
}

export interface AgentReader {
  findAgent(projectId: string, agentId: string): Promise<Agent | undefined>;
  /** In any case: no two agents' names differ in case alone. */
  findAgentByName(projectId: string, name: string): Promise<Agent | undefined>;
  /** Newest first. */
  listAgents(projectId: string, page: { beforeId?: string; limit: number }): Promise<readonly Agent[]>;
}

export interface AgentWriter {
  insertAgent(agent: Agent): Promise<void>;
  updateAgent(
    agent: Pick<Agent, 'id' | 'name' | 'fingerprint' | 'framework' | 'labels' | 'riskTier'>,
  ): Promise<void>;
  /** Guard: its status is one of `from`. */
  setAgentStatus(agentId: string, from: readonly AgentStatus[], to: AgentStatus): Promise<boolean>;
  touchAgents(agentIds: readonly string[], at: Instant): Promise<void>;
}
