import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { Pairing } from './pairing.ts';
import { readUserCode } from './pairing-codes.ts';

/**
 * The pairing that waits under this code. Codes are short, so what a person tries counts like what they try of a second
 * factor: nobody finds by guessing a program that waits for somebody else, to make it their own (RFC 8628 §5.1).
 *
 * @throws GateError `not_found`, alike for a code that is unknown, used or past its time; `rate_limited`
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
  // No failure, but no reason to forget the wrong ones either: anybody can begin a pairing and so have a code that is right.
  await attempt.withdrawn();
  return pairing;
}

export function noSuchPairing(): GateError<'not_found'> {
  return new GateError(
    'not_found',
    'Nothing waits under this code: it was used, is older than ten minutes, or was typed wrong.',
    {},
  );
}
