import type { ProjectMode, Role } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { AgentIdentity } from './agent-identity.ts';

export type KeyKind = 'agent' | 'secret' | 'verify' | 'user';

/** A stored credential. Only the SHA-256 of the key itself is stored. */
export interface ApiKey {
  /** `key_…`. */
  id: string;
  kind: KeyKind;
  /** Null for a user token, which follows its person into every project. */
  projectId: string | null;
  name: string;
  /** Lower-case hex SHA-256 of the whole key. */
  hash: string;
  /** The last four characters of the key, so that people can recognise it. */
  hint: string;
  /** Agent keys: the agent that the key belongs to. */
  agentId: string | null;
  /**
   * Secret keys and user tokens: the person who answers for the key. Null for other kinds; the person behind an agent
   * key is the owner of its agent.
   */
  ownerId: string | null;
  /** User tokens: rights beyond reading. */
  rights: readonly ('decide' | 'manage')[];
  /** The key's own requests per minute, below the project's; null: none. */
  rateLimitPerMinute: number | null;
  createdAt: Instant;
  expiresAt: Instant | null;
  /** When an agent key expires because its agent's owner left. Null once another owner takes the agent over. */
  endsWithOwnerAt: Instant | null;
  revokedAt: Instant | null;
  lastUsedAt: Instant | null;
}

/** When the key expires: at its own expiry, or because its agent's owner left. Null: it is valid until revoked. */
export function endOfKey({
  expiresAt,
  endsWithOwnerAt,
}: Pick<ApiKey, 'expiresAt' | 'endsWithOwnerAt'>): Instant | null {
  if (expiresAt === null || endsWithOwnerAt === null) return expiresAt ?? endsWithOwnerAt;
  return expiresAt < endsWithOwnerAt ? expiresAt : endsWithOwnerAt;
}

export function hasEnded(key: Pick<ApiKey, 'expiresAt' | 'endsWithOwnerAt'>, now: Instant): boolean {
  const end = endOfKey(key);
  return end !== null && end <= now;
}

/** The result of one look-up of a presented key: everything that authentication and the hot path need. */
export interface CredentialRecord {
  key: ApiKey;
  /** The key's project; null for user tokens. */
  project: {
    id: string;
    mode: ProjectMode;
    stoppedAt: Instant | null;
    revision: number;
    rateLimitPerMinute: number | null;
  } | null;
  /** The agent of an agent key. */
  agent: AgentIdentity | null;
  /** The owner of a secret key or user token. `role` is the owner's in the key's project; null: no longer a member. */
  owner: { id: string; email: string; role: Role | null } | null;
}

export interface CredentialReader {
  findCredential(keyHash: string): Promise<CredentialRecord | undefined>;
  findKey(keyId: string): Promise<ApiKey | undefined>;
  /** Keys of a project, newest first. */
  listKeys(projectId: string, page: { beforeId?: string; limit: number }): Promise<readonly ApiKey[]>;
  /** User tokens of a person, newest first. They belong to no project. */
  listUserTokens(ownerId: string, page: { beforeId?: string; limit: number }): Promise<readonly ApiKey[]>;
}

export interface CredentialWriter {
  insertKey(key: ApiKey): Promise<void>;
  /** Guard: not yet revoked. */
  revokeKey(keyId: string, at: Instant): Promise<boolean>;
  touchKeys(keyIds: readonly string[], at: Instant): Promise<void>;
}
