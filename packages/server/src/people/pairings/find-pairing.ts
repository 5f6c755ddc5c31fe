import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { Pairing } from './pairing.ts';
import { readUserCode } from './pairing-codes.ts';

/**
 * The pending pairing with this code. Codes are short, so wrong codes count like wrong second factors. Otherwise a
 * person could guess the code of somebody else's program and claim that program (RFC 8628 §5.1).
 * @throws GateError `not_found`, alike for a code that is unknown, used or expired; `rate_limited`
 */
export async function getWaitingPairing(
  gate: PeopleDeps<'signInLimits'>,
  { user }: SessionCaller,
  typed: string,
): Promise<Pairing> {
  const attempt = await gate.signInLimits.begin(`pairing ${user.id}`, null);
  const pairing = await gate.storage.read.findPairingByUserCode(readUserCode(typed)).catch(async (error) => {
    await attempt.withdrawn();
    throw error;
  });
  if (pairing?.status !== 'pending' || pairing.expiresAt <= gate.clock.now()) throw noSuchPairing();
  // A right code is not a failure. But it must not reset the count of wrong codes: anyone can start a pairing to get a
  // right code.
  await attempt.withdrawn();
  return pairing;
}

export function noSuchPairing(): GateError<'not_found'> {
  return new GateError(
    'not_found',
    'Code not found. It was used, is older than ten minutes, or was mistyped.',
    {},
  );
}
