import type { AgentIdentity, AgentStatus } from '../access/agent-identity.ts';
import type { Instant } from '../kernel/instant.ts';

/** A registered agent. `name` is ASCII and unique in its project, ignoring case. */
export interface Agent extends AgentIdentity {
  projectId: string;
  fingerprint: string | null;
  /**
   * Everyone who ever owned the agent, registered it or created a key for it, by id (contract §3, separation of
   * duties).
   * `operator`: the operator created something without an owner, which counts as every project owner's. The list only
   * grows.
   */
  behind: readonly string[];
  /** When the owner's membership ended. Null during the membership, and once another person took over the agent. */
  ownerLeftAt: Instant | null;
  createdAt: Instant;
  lastSeenAt: Instant | null;
}

/** The members that an admin sets. */
export const AGENT_PROFILE = ['name', 'fingerprint', 'framework', 'labels', 'riskTier'] as const;
export type AgentProfile = Pick<Agent, (typeof AGENT_PROFILE)[number]>;

/** For an agent that has never sent a request. */
export const NEVER_SEEN = { lastSeenAt: null };

export interface AgentReader {
  findAgent(projectId: string, agentId: string): Promise<Agent | undefined>;
  /** Ignores case, because no two agents' names differ only in case. */
  findAgentByName(projectId: string, name: string): Promise<Agent | undefined>;
  /**
   * At most `limit` agents, of any project, whose owner left before this instant and whose admins were not warned
   * since.
   */
  listAgentsToWarnOf(leftBefore: Instant, limit: number): Promise<readonly Agent[]>;
  /** Agents of the project that this person owns, in no particular order. */
  listAgentsOwnedBy(projectId: string, ownerId: string): Promise<readonly Agent[]>;
  /** Newest first. */
  listAgents(projectId: string, page: { beforeId?: string; limit: number }): Promise<readonly Agent[]>;
}

export interface AgentWriter {
  insertAgent(agent: Omit<Agent, keyof typeof NEVER_SEEN>): Promise<void>;
  /** Writes the profile. */
  updateAgent(agent: Pick<Agent, 'id'> & AgentProfile): Promise<void>;
  /** Writes the owner and `ownerLeftAt`. Resets the warning, so that admins are warned about the new expiry too. */
  setAgentOwner(agent: Pick<Agent, 'id' | 'ownerId' | 'behind' | 'ownerLeftAt'>): Promise<void>;
  setPeopleBehindAgent(agent: Pick<Agent, 'id' | 'behind'>): Promise<void>;
  /** Guard: not marked yet, not revoked, and `ownerLeftAt` unchanged. */
  markOwnerLeftWarned(agent: Pick<Agent, 'id' | 'ownerLeftAt'>): Promise<boolean>;
  /** Guard: its status is one of `from`. */
  setAgentStatus(agentId: string, from: readonly AgentStatus[], to: AgentStatus): Promise<boolean>;
  touchAgents(agentIds: readonly string[], at: Instant): Promise<void>;
}
