/** A person's session: what a browser proves with its cookie, how long it is valid, and how it ends. */
import { addSeconds, type Instant } from '../kernel/instant.ts';

/** How a person proved who they are. `link`: a one-time link of the set-up or an invitation. */
export type SignInMethod = 'password' | 'totp' | 'recovery_code' | 'passkey' | 'oidc' | 'link';

export interface Session {
  /** `ses_…`. */
  id: string;
  /** Hex SHA-256 of the cookie's token. */
  tokenHash: string;
  userId: string;
  /** In order. A second factor comes second. */
  methods: readonly SignInMethod[];
  signedInAt: Instant;
  /** When the person last proved their presence. */
  confirmedAt: Instant;
  /** Updated at most every few seconds. */
  lastSeenAt: Instant;
  /** When the session ends, however active it is. */
  expiresAt: Instant;
  /** The network address where the session began. Null once erased. */
  address: string | null;
  userAgent: string | null;
  endedAt: Instant | null;
}

/** However active a session is, it ends after a week. */
export const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;
/** An unused session ends after half a day. */
export const SESSION_IDLE_SECONDS = 12 * 60 * 60;
/** The maximum per person. When another session begins, the least recently used session ends. */
export const MOST_SESSIONS = 20;

/** Whether the session is still valid. */
export function isLive(
  session: Pick<Session, 'endedAt' | 'expiresAt' | 'lastSeenAt'>,
  now: Instant,
): boolean {
  return (
    session.endedAt === null &&
    now < session.expiresAt &&
    now < addSeconds(session.lastSeenAt, SESSION_IDLE_SECONDS)
  );
}

export interface SessionReader {
  findSession(sessionId: string): Promise<Session | undefined>;
  findSessionByToken(tokenHash: string): Promise<Session | undefined>;
  /** A person's sessions that have not ended, newest first, at most 200. */
  listSessions(userId: string): Promise<readonly Session[]>;
}

export interface SessionWriter {
  insertSession(session: Session): Promise<void>;
  /** Guard: not yet ended. */
  endSession(sessionId: string, at: Instant): Promise<boolean>;
  /** Ends all sessions of a person except the named session. Returns how many it ended. */
  endSessions(userId: string, exceptId: string | null, at: Instant): Promise<number>;
  /** Guard: not yet ended. */
  confirmSession(sessionId: string, at: Instant): Promise<boolean>;
  touchSessions(sessionIds: readonly string[], at: Instant): Promise<void>;
  /** Deletes at most `limit` sessions that expired before `before`. Returns how many. */
  deleteOldSessions(before: Instant, limit: number): Promise<number>;
  /** Deletes all sessions of a person, for the erasure of that person. Returns how many. */
  deleteSessions(userId: string): Promise<number>;
}
