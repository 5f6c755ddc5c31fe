import type { AgentIdentity, AgentStatus } from '../access/agent-identity.ts';
import type { Instant } from '../kernel/instant.ts';

/** A registered agent. `name` is ASCII and unique in its project, ignoring case. */
export interface Agent extends AgentIdentity {
  projectId: string;
  fingerprint: string | null;
  /**
   * Everyone who ever owned or registered it or created a key for it, by id (contract §3, separation of duties).
   * `operator`: the operator created something without an owner, which counts as every project owner's. Only grows.
   */
  behind: readonly string[];
  /** When the owner's membership ended. Null while it lasts, and once another person took over the agent. */
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
  /** The first few agents of any project whose owner left before this instant and without a warning since. */
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
  /** Writes the owner, and when they left. People are warned again about an expiry that results. */
  setAgentOwner(agent: Pick<Agent, 'id' | 'ownerId' | 'behind' | 'ownerLeftAt'>): Promise<void>;
  setPeopleBehindAgent(agent: Pick<Agent, 'id' | 'behind'>): Promise<void>;
  /** Guard: not marked yet, not revoked, and its owner's leaving time unchanged. */
  markOwnerLeftWarned(agent: Pick<Agent, 'id' | 'ownerLeftAt'>): Promise<boolean>;
  /** Guard: its status is one of `from`. */
  setAgentStatus(agentId: string, from: readonly AgentStatus[], to: AgentStatus): Promise<boolean>;
  touchAgents(agentIds: readonly string[], at: Instant): Promise<void>;
}
