import type { SessionCaller } from '../../gate/access/caller.ts';
import type { CredentialReader } from '../../gate/access/credential.ts';
import type { SessionReader } from '../../gate/access/session.ts';
import { signInFirst } from '../../gate/access/unauthorized.ts';
import { isStillGood } from '../../gate/projects/current-caller.ts';
import type { PeopleDeps } from '../people-deps.ts';

/**
 * Looks at the session once more in the transaction of a change of how somebody signs in. Hashing a password takes its
 * turn in a queue: whoever was signed out meanwhile, by a new password for instance, must not have the last word.
 *
 * @throws GateError `unauthorized`
 */
export async function assertStillSignedIn(
  gate: Pick<PeopleDeps, 'clock'>,
  tx: CredentialReader & SessionReader,
  caller: SessionCaller,
): Promise<void> {
  if (!(await isStillGood(tx, caller, gate.clock.now()))) throw signInFirst();
}
