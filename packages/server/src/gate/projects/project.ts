import type { JsonObject, ProjectMode } from '@permitry/protocol';
import type { Group, Member } from '../approvals/people.ts';
import type { Instant } from '../kernel/instant.ts';

/** A tenant: its intents, policy, people, keys and ledger are its own. */
export interface Project {
  id: string;
  name: string;
  mode: ProjectMode;
  /** The stop switch: set while the project refuses every create, verify and consume. */
  stoppedAt: Instant | null;
  /** Its own limit per minute; 0: none; null: the gate's. */
  rateLimitPerMinute: number | null;
  /** Whether a change of the policy takes the approval of a second person. */
  policySecondPerson: boolean;
  /**
   * Grows with every change of the project's settings, policy, agents, keys, members or groups, in the transaction of
   * that change. What was read under one revision holds exactly while the revision stays.
   */
  revision: number;
  createdAt: Instant;
}

export interface User {
  id: string;
  email: string;
  name: string | null;
  createdAt: Instant;
}

/** A policy document as stored; version 1 is made with the project. */
export interface PolicyVersion {
  projectId: string;
  version: number;
  /** "sha256:…" over the canonical document. */
  hash: string;
  document: JsonObject;
  createdAt: Instant;
  createdBy: string;
}

export interface ProjectReader {
  findProject(projectId: string): Promise<Project | undefined>;
  /** Of the project, its revision alone: asked for every request. */
  findProjectRevision(projectId: string): Promise<number | undefined>;
  /** Guard: whether it is at this revision. In a transaction it stays there until that ends. */
  isAtRevision(projectId: string, revision: number): Promise<boolean>;
  listProjects(): Promise<readonly Project[]>;
  findUserByEmail(email: string): Promise<User | undefined>;
  findUser(userId: string): Promise<User | undefined>;
  listMembers(projectId: string): Promise<readonly Member[]>;
  listMemberships(userId: string): Promise<readonly Member[]>;
  listGroups(projectId: string): Promise<readonly Group[]>;
  /** The policy in force: the highest version. */
  findPolicy(projectId: string): Promise<PolicyVersion | undefined>;
  /** Newest first. */
  listPolicyVersions(
    projectId: string,
    page: { beforeVersion?: number; limit: number },
  ): Promise<readonly PolicyVersion[]>;
}

export interface ProjectWriter {
  insertProject(project: Project): Promise<void>;
  /** Adds one to `revision`. Every writer of what the revision covers calls it in the same transaction. */
  bumpProjectRevision(projectId: string): Promise<void>;
  renameProject(projectId: string, name: string): Promise<void>;
  setProjectRateLimit(projectId: string, perMinute: number | null): Promise<void>;
  /** Guard: answers false when it was already so. */
  setProjectStopped(projectId: string, stoppedAt: Instant | null): Promise<boolean>;
  insertUser(user: User): Promise<void>;
  /** Inserts or changes the role. */
  saveMember(member: Member): Promise<void>;
  /** Takes the person out of every group of the project as well. */
  removeMember(projectId: string, userId: string): Promise<boolean>;
  /** Inserts or replaces the set of members. */
  saveGroup(group: Group): Promise<void>;
  removeGroup(projectId: string, name: string): Promise<boolean>;
  insertPolicyVersion(version: PolicyVersion): Promise<void>;
}
