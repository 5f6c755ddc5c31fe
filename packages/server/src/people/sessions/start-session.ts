/** How people's sessions start and end. The HTTP layer owns the cookie that carries one. */

import type { SessionReader, SessionWriter } from '../../gate/access/session.ts';
import {
  isLive,
  MOST_SESSIONS,
  SESSION_LIFETIME_SECONDS,
  type Session,
  type SignInMethod,
} from '../../gate/access/session.ts';
import type { AuditWriter } from '../../gate/audit/audit-event.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import type { AfterCommit } from '../../gate/kernel/storage.ts';
import type { NotificationReader } from '../../gate/notifications/notification.ts';
import type { OutboxWriter } from '../../gate/outbox/delivery.ts';
import type { ProjectReader } from '../../gate/projects/project.ts';
import { makeSecretToken } from '../links/secret-token.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { recordAccountEvent } from '../record-account-event.ts';

export interface NewSession {
  userId: string;
  /** How the person showed who they are, in order. */
  methods: readonly SignInMethod[];
}

/** What the HTTP layer knows about the browser. */
export interface Browser {
  address: string | null;
  userAgent: string | null;
  /**
   * The session of the cookie that the browser sent. It ends, so that an attacker who planted that cookie does not get
   * the new session.
   */
  sessionId: string | null;
}

export interface StartedSession {
  session: Session;
  /** The value of the cookie, returned only here. The gate stores only its hash. */
  token: string;
}

/**
 * Everything that starting a session reads and writes. If it ends another session, it records that and notifies the
 * person.
 */
type SessionStart = AfterCommit &
  AuditWriter &
  NotificationReader &
  OutboxWriter &
  ProjectReader &
  SessionReader &
  SessionWriter;

const MOST_AGENT_CHARACTERS = 300;

/** Starts a session in the transaction of the sign-in. */
export async function startSession(
  gate: PeopleDeps,
  tx: SessionStart,
  input: NewSession,
  browser: Browser,
): Promise<StartedSession> {
  const now = gate.clock.now();
  const { token, tokenHash } = makeSecretToken();
  const session: Session = {
    id: gate.ids.next('ses'),
    tokenHash,
    userId: input.userId,
    methods: input.methods,
    signedInAt: now,
    confirmedAt: now,
    lastSeenAt: now,
    expiresAt: addSeconds(now, SESSION_LIFETIME_SECONDS),
    address: browser.address,
    userAgent: browser.userAgent?.slice(0, MOST_AGENT_CHARACTERS) ?? null,
    endedAt: null,
  };
  if (browser.sessionId !== null) await tx.endSession(browser.sessionId, now);
  await makeRoom(gate, tx, input.userId);
  await tx.insertSession(session);
  return { session, token };
}

/** Limits the number of a person's sessions, because forgotten browsers and repeated sign-ins leave sessions open. */
async function makeRoom(gate: PeopleDeps, tx: SessionStart, userId: string): Promise<void> {
  const now = gate.clock.now();
  const sessions = await tx.listSessions(userId);
  // IDs grow with time: of two sessions with the same last use, the older one ends.
  const age = ({ lastSeenAt, id }: Session) => `${lastSeenAt} ${id}`;
  const unusedFirst = sessions.toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
  for (const session of unusedFirst.slice(0, Math.max(0, sessions.length - MOST_SESSIONS + 1))) {
    await tx.endSession(session.id, now);
    // An expired session is not worth a record or a notice.
    if (!isLive(session, now)) continue;
    await recordAccountEvent(gate, tx, {
      type: 'session.crowded_out',
      userId,
      actor: { type: 'system', id: 'system', display: 'sign-in' },
      data: { session_id: session.id, last_seen_at: session.lastSeenAt },
    });
  }
}
