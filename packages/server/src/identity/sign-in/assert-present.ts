import type { Caller, SessionCaller } from '../../gate/access/caller.ts';
import { forbidden } from '../../gate/access/forbidden.ts';
import { GateError } from '../../gate/errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { addSeconds } from '../../gate/instant.ts';

/** A sign-in, or a confirmation since, counts as presence for so long. */
const PRESENCE_SECONDS = 15 * 60;

/**
 * Before a change of how somebody signs in: an unlocked machine, or a stolen cookie, must not be enough to keep the
 * account.
 *
 * @throws GateError `proof_required`, `forbidden` for what is no session
 */
export function assertPresent(gate: Gate, caller: Caller): SessionCaller {
  if (caller.kind !== 'session') throw forbidden('session');
  if (gate.clock.now() <= addSeconds(caller.confirmedAt, PRESENCE_SECONDS)) return caller;
  throw new GateError(
    'proof_required',
    'Show once more that it is you: with your password or a passkey, or by signing in again.',
    { proof_tier: 'session', methods: ['password', 'passkey'] },
  );
}
