import type { SessionCaller } from '../../gate/access/caller.ts';
import { signInFirst } from '../../gate/access/unauthorized.ts';
import type { Gate } from '../../gate/kernel/gate.ts';
import type { Reader } from '../../gate/kernel/ports.ts';
import { isStillGood } from '../../gate/projects/current-caller.ts';

/**
 * Looks at the session once more in the transaction of a change of how somebody signs in. Hashing a password takes its
 * turn in a queue: whoever was signed out meanwhile, by a new password for instance, must not have the last word.
 *
 * @throws GateError `unauthorized`
 */
export async function assertStillSignedIn(gate: Gate, tx: Reader, caller: SessionCaller): Promise<void> {
  if (!(await isStillGood(tx, caller, gate.clock.now()))) throw signInFirst();
}
