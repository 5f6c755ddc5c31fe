import type { SessionCaller } from '../../gate/access/caller.ts';
import { isLive, type Session } from '../../gate/access/session.ts';
import type { PeopleDeps } from '../people-deps.ts';

/** The person's active sessions, newest first. */
export async function listOwnSessions(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  caller: SessionCaller,
): Promise<readonly Session[]> {
  const now = gate.clock.now();
  const sessions = await gate.storage.read.listSessions(caller.user.id);
  return sessions.filter((session) => isLive(session, now));
}
