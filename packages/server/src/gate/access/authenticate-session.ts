import { sha256Hex } from '@permitry/protocol';
import type { ProjectReader } from '../projects/project.ts';
import type { AccessDeps } from './access-deps.ts';
import type { SessionCaller } from './caller.ts';
import { membershipsOf } from './memberships.ts';
import { isLive, type Session } from './session.ts';
import { signInFirst } from './unauthorized.ts';

/**
 * Finds the session of a cookie's token. Looks it up for every request, with the person's current roles, so an ended
 * session or membership takes effect on the next call.
 *
 * @throws GateError `unauthorized`, in the same words for a token that never existed and for a session that ended
 */
export async function authenticateSession(
  gate: Pick<AccessDeps, 'clock' | 'storage'>,
  token: string,
): Promise<SessionCaller> {
  return toSessionCaller(
    gate,
    gate.storage.read,
    await gate.storage.read.findSessionByToken(sha256Hex(token)),
  );
}

/** The current state of the same caller. Throws `unauthorized` when the session has ended. */
export async function refreshSession(
  gate: Pick<AccessDeps, 'clock' | 'storage'>,
  caller: SessionCaller,
): Promise<SessionCaller> {
  return toSessionCaller(gate, gate.storage.read, await gate.storage.read.findSession(caller.credentialId));
}

async function toSessionCaller(
  gate: Pick<AccessDeps, 'clock'>,
  reader: ProjectReader,
  session: Session | undefined,
): Promise<SessionCaller> {
  if (!session || !isLive(session, gate.clock.now())) throw signInFirst();
  const user = await reader.findUser(session.userId);
  if (!user) throw signInFirst();
  return {
    kind: 'session',
    credentialId: session.id,
    user: { id: user.id, email: user.email },
    memberships: await membershipsOf(reader, user.id),
    methods: session.methods,
    signedInAt: session.signedInAt,
    confirmedAt: session.confirmedAt,
  };
}
