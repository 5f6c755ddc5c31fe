import { assertConfirmed, assertPresent } from '../../gate/access/assert-present.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { addDeviceKey } from '../device-keys/add-device-key.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts';
import { getWaitingPairing, noSuchPairing } from './find-pairing.ts';
import type { Pairing } from './pairing.ts';

export interface PairingAnswer {
  /** Of the pairing that the person was shown. */
  pairingId: string;
  userCode: string;
  decision: 'approve' | 'deny';
}

/**
 * The person says whether the program is theirs. A device key counts from now on; a token is made when the program asks
 * for it. Of two answers the first stands.
 *
 * @throws GateError `not_found`, `rate_limited`; to approve also `proof_required` when the person has not shown lately
 * that they are there (what may decide, and what proves, takes more than having signed in), `conflict` for a key that is
 * known already, one too many, or somebody who is in no project
 */
export async function answerPairing(
  gate: PeopleDeps<'signInLimits'>,
  caller: SessionCaller,
  { pairingId, userCode, decision }: PairingAnswer,
): Promise<'approved' | 'denied'> {
  const pairing = await getWaitingPairing(gate, caller, userCode);
  if (pairing.id !== pairingId) throw noSuchPairing();
  if (decision === 'approve') assertMayApprove(gate, caller, pairing);
  const status = decision === 'approve' ? 'approved' : 'denied';
  await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    const isKey = status === 'approved' && pairing.jwk !== null;
    const deviceKeyId = isKey ? gate.ids.next('dvk') : null;
    const answer = { status, userId: caller.user.id, deviceKeyId } as const;
    if (!(await tx.answerPairing(pairing.id, answer, gate.clock.now()))) throw noSuchPairing();
    if (deviceKeyId !== null && pairing.jwk !== null) {
      await addDeviceKey(gate, tx, caller.user, {
        id: deviceKeyId,
        jwk: pairing.jwk,
        name: pairing.name,
        address: pairing.address,
      });
    }
  });
  return status;
}

function assertMayApprove(gate: PeopleDeps, caller: SessionCaller, { purpose, rights }: Pairing): void {
  if (caller.memberships.length === 0)
    throw new GateError(
      'conflict',
      'You are in no project; there is nothing a program could do for you.',
      {},
    );
  // It outlives the session; and what gives the person's voice, a cookie that was just taken must not give away.
  if (purpose === 'device_key' || rights.length > 0) assertConfirmed(gate, caller);
  else assertPresent(gate, caller);
}
