import type { JsonObject, ProjectMode } from '@permitry/protocol';
import type { Group, Member } from '../approvals/people.ts';
import type { Instant } from '../kernel/instant.ts';

/** A tenant with its own intents, policy, people, keys and audit log. */
export interface Project {
  id: string;
  name: string;
  mode: ProjectMode;
  /** When the emergency stop was set. While it is set, the project refuses every create, verify and consume. */
  stoppedAt: Instant | null;
  /** The project's own limit per minute. 0: no limit. Null: the gate's limit. */
  rateLimitPerMinute: number | null;
  /** Whether a policy change requires the approval of a second person. */
  policySecondPerson: boolean;
  /**
   * Grows with every change of the project's settings, policy, agents, keys, members or groups, in the transaction of
   * that change. Data read under one revision is valid exactly while the revision stays the same.
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

/** A policy document as stored. Version 1 is created with the project. */
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
  /** Reads only the revision of the project. Called for every request. */
  findProjectRevision(projectId: string): Promise<number | undefined>;
  /** Guard: the project is at this revision. In a transaction it stays there until the end. */
  isAtRevision(projectId: string, revision: number): Promise<boolean>;
  listProjects(): Promise<readonly Project[]>;
  findUserByEmail(email: string): Promise<User | undefined>;
  findUser(userId: string): Promise<User | undefined>;
  listMembers(projectId: string): Promise<readonly Member[]>;
  listMemberships(userId: string): Promise<readonly Member[]>;
  listGroups(projectId: string): Promise<readonly Group[]>;
  /** The active policy: the highest version. */
  findPolicy(projectId: string): Promise<PolicyVersion | undefined>;
  /** Newest first. */
  listPolicyVersions(
    projectId: string,
    page: { beforeVersion?: number; limit: number },
  ): Promise<readonly PolicyVersion[]>;
}

export interface ProjectWriter {
  insertProject(project: Project): Promise<void>;
  /** Adds one to `revision`. Every writer of data that the revision covers must call it in the same transaction. */
  bumpProjectRevision(projectId: string): Promise<void>;
  renameProject(projectId: string, name: string): Promise<void>;
  setProjectRateLimit(projectId: string, perMinute: number | null): Promise<void>;
  /** Guard: returns false when the project was already stopped or started. */
  setProjectStopped(projectId: string, stoppedAt: Instant | null): Promise<boolean>;
  insertUser(user: User): Promise<void>;
  /** Inserts or changes the role. */
  saveMember(member: Member): Promise<void>;
  /** Also removes the person from every group of the project. */
  removeMember(projectId: string, userId: string): Promise<boolean>;
  /** Inserts or replaces the set of members. */
  saveGroup(group: Group): Promise<void>;
  removeGroup(projectId: string, name: string): Promise<boolean>;
  insertPolicyVersion(version: PolicyVersion): Promise<void>;
}
