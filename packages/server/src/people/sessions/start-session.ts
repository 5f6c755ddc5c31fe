/** Owns the sessions of people: how one begins, and how it ends. The cookie that carries one is the door's. */

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

/** What the door knows of the browser. */
export interface Browser {
  address: string | null;
  userAgent: string | null;
  /** Of the cookie it came with: that session ends, so that nobody who planted it has the new one. */
  sessionId: string | null;
}

export interface StartedSession {
  session: Session;
  /** For the cookie, this once; only its hash is stored. */
  token: string;
}

/** What the start of a session reads and writes: a session that it ends is recorded, and its person told. */
type SessionStart = AfterCommit &
  AuditWriter &
  NotificationReader &
  OutboxWriter &
  ProjectReader &
  SessionReader &
  SessionWriter;

const MOST_AGENT_CHARACTERS = 300;

/** Begins a session in the transaction of the sign-in it belongs to. */
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

/** So that nobody's forgotten browsers, nor what signs in over and over, keep more and more doors open. */
async function makeRoom(gate: PeopleDeps, tx: SessionStart, userId: string): Promise<void> {
  const now = gate.clock.now();
  const sessions = await tx.listSessions(userId);
  // Ids grow with time: of two unused for as long, the older one goes.
  const age = ({ lastSeenAt, id }: Session) => `${lastSeenAt} ${id}`;
  const unusedFirst = sessions.toSorted((a, b) => (age(a) < age(b) ? -1 : 1));
  for (const session of unusedFirst.slice(0, Math.max(0, sessions.length - MOST_SESSIONS + 1))) {
    await tx.endSession(session.id, now);
    // One whose time was over already is nobody's loss.
    if (!isLive(session, now)) continue;
    await recordAccountEvent(gate, tx, {
      type: 'session.crowded_out',
      userId,
      actor: { type: 'system', id: 'system', display: 'sign-in' },
      data: { session_id: session.id, last_seen_at: session.lastSeenAt },
    });
  }
}
