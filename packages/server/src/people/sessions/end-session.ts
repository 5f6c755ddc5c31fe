import type { SessionCaller } from '../../gate/access/caller.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import type { PeopleDeps } from '../people-deps.ts';

/** Signs this browser out. Idempotent. */
export async function endOwnSession(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  caller: SessionCaller,
): Promise<void> {
  await gate.storage.transaction((tx) => tx.endSession(caller.credentialId, gate.clock.now()));
}

/**
 * Ends one of the person's own sessions. For a session other than the caller's, also deletes the pairings that it may
 * have approved and no program has fetched yet. Their tokens would outlive the session. Idempotent.
 * @throws GateError `not_found`, also for another person's session
 */
export async function endSession(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  caller: SessionCaller,
  input: { sessionId: string },
): Promise<void> {
  await gate.storage.transaction(async (tx) => {
    const session = await tx.findSession(input.sessionId);
    if (session?.userId !== caller.user.id) throw notFound('session');
    await tx.endSession(session.id, gate.clock.now());
    if (session.id !== caller.credentialId) await tx.deletePairingsOf(caller.user.id);
  });
}

/**
 * Ends all of the person's other sessions and deletes approved pairings that no program has fetched yet. Returns how
 * many sessions ended.
 */
export async function endOtherSessions(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  caller: SessionCaller,
): Promise<number> {
  return gate.storage.transaction(async (tx) => {
    await tx.deletePairingsOf(caller.user.id);
    return tx.endSessions(caller.user.id, caller.credentialId, gate.clock.now());
  });
}
