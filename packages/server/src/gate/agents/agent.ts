import type { AgentIdentity, AgentStatus } from '../access/agent-identity.ts';
import type { Instant } from '../kernel/instant.ts';

/** A registered agent. `name`, all ASCII, is unique in its project whatever its case. */
export interface Agent extends AgentIdentity {
  projectId: string;
  fingerprint: string | null;
  /**
   * Everyone who ever owned or registered it or made a key of it, by id (contract §3, separation of duties). `operator`:
   * something was made at the machine without an owner, which counts as every owner's of the project. Only grows.
   */
  behind: readonly string[];
  /** When the owner's membership ended; null while it lasts, and once another person took the agent over. */
  ownerLeftAt: Instant | null;
  createdAt: Instant;
  lastSeenAt: Instant | null;
}

/** What a manager says of an agent. */
export const AGENT_PROFILE = ['name', 'fingerprint', 'framework', 'labels', 'riskTier'] as const;
export type AgentProfile = Pick<Agent, (typeof AGENT_PROFILE)[number]>;

/** One that never asked for anything. */
export const NEVER_SEEN = { lastSeenAt: null };

export interface AgentReader {
  findAgent(projectId: string, agentId: string): Promise<Agent | undefined>;
  /** In any case: no two agents' names differ in case alone. */
  findAgentByName(projectId: string, name: string): Promise<Agent | undefined>;
  /** Those whose owner left before this instant and of which nobody was warned since, of any project; the first few. */
  listAgentsToWarnOf(leftBefore: Instant, limit: number): Promise<readonly Agent[]>;
  /** Those of the project that this person owns, in no order. */
  listAgentsOwnedBy(projectId: string, ownerId: string): Promise<readonly Agent[]>;
  /** Newest first. */
  listAgents(projectId: string, page: { beforeId?: string; limit: number }): Promise<readonly Agent[]>;
}

export interface AgentWriter {
  insertAgent(agent: Omit<Agent, keyof typeof NEVER_SEEN>): Promise<void>;
  /** The profile. */
  updateAgent(agent: Pick<Agent, 'id'> & AgentProfile): Promise<void>;
  /** The owner, and when they left; people are warned once more of an end that this makes. */
  setAgentOwner(agent: Pick<Agent, 'id' | 'ownerId' | 'behind' | 'ownerLeftAt'>): Promise<void>;
  setPeopleBehindAgent(agent: Pick<Agent, 'id' | 'behind'>): Promise<void>;
  /** Guard: not marked yet, not revoked, and its owner left at this instant still. */
  markOwnerLeftWarned(agent: Pick<Agent, 'id' | 'ownerLeftAt'>): Promise<boolean>;
  /** Guard: its status is one of `from`. */
  setAgentStatus(agentId: string, from: readonly AgentStatus[], to: AgentStatus): Promise<boolean>;
  touchAgents(agentIds: readonly string[], at: Instant): Promise<void>;
}
