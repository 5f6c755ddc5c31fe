import type { SessionCaller } from '../../gate/access/caller.ts';
import type { CredentialReader } from '../../gate/access/credential.ts';
import type { SessionReader } from '../../gate/access/session.ts';
import { signInFirst } from '../../gate/access/unauthorized.ts';
import { isStillGood } from '../../gate/projects/current-caller.ts';
import type { PeopleDeps } from '../people-deps.ts';

/**
 * Checks the session again in the transaction that changes how a person signs in. Hashing a password can wait in a
 * queue. A person whose session ended in the meantime, for example by a new password, must not make the change.
 * @throws GateError `unauthorized`
 */
export async function assertStillSignedIn(
  gate: Pick<PeopleDeps, 'clock'>,
  tx: CredentialReader & SessionReader,
  caller: SessionCaller,
): Promise<void> {
  if (!(await isStillGood(tx, caller, gate.clock.now()))) throw signInFirst();
}
