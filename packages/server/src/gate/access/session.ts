/** A person's session: what a browser proves with its cookie, how long that holds, and how it ends. */
import { addSeconds, type Instant } from '../kernel/instant.ts';

/** How a person showed who they are. `link`: a one-time link of the set-up or an invitation. */
export type SignInMethod = 'password' | 'totp' | 'recovery_code' | 'passkey' | 'oidc' | 'link';

export interface Session {
  /** `ses_…`. */
  id: string;
  /** Hex SHA-256 of the cookie's token. */
  tokenHash: string;
  userId: string;
  /** In order; a second factor comes second. */
  methods: readonly SignInMethod[];
  signedInAt: Instant;
  /** When the person last proved to be there. */
  confirmedAt: Instant;
  /** Written every few seconds at most. */
  lastSeenAt: Instant;
  /** However busy it is. */
  expiresAt: Instant;
  /** Where it began; null once erased. */
  address: string | null;
  userAgent: string | null;
  endedAt: Instant | null;
}

/** However busy a session is, it ends after a week. */
export const SESSION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;
/** Unused, it ends after half a day. */
export const SESSION_IDLE_SECONDS = 12 * 60 * 60;
/** A person has so many; where one more begins, the one that was unused for longest ends. */
export const MOST_SESSIONS = 20;

/** Whether it still proves anything. */
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
  /** Those of a person that have not ended, newest first; at most 200. */
  listSessions(userId: string): Promise<readonly Session[]>;
}

export interface SessionWriter {
  insertSession(session: Session): Promise<void>;
  /** Guard: not yet ended. */
  endSession(sessionId: string, at: Instant): Promise<boolean>;
  /** All of a person, but one if it is named; answers how many. */
  endSessions(userId: string, exceptId: string | null, at: Instant): Promise<number>;
  /** Guard: not yet ended. */
  confirmSession(sessionId: string, at: Instant): Promise<boolean>;
  touchSessions(sessionIds: readonly string[], at: Instant): Promise<void>;
  /** Those whose time was over before `before`; answers how many were deleted, at most `limit`. */
  deleteOldSessions(before: Instant, limit: number): Promise<number>;
  /** For the erasure of a person. */
  deleteSessions(userId: string): Promise<number>;
}
