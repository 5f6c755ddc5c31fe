import { assertConfirmed, assertPresent } from '../../gate/access/assert-present.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { addDeviceKey } from '../device-keys/add-device-key.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts';
import { getWaitingPairing, noSuchPairing } from './find-pairing.ts';
import type { Pairing } from './pairing.ts';

export interface PairingAnswer {
  /** The pairing that the person was shown. */
  pairingId: string;
  userCode: string;
  decision: 'approve' | 'deny';
}

/**
 * The person says whether the program is theirs. A device key is valid from the approval on. A token is created when
 * the program polls for it. The first answer is final. Approval may also need proof of presence: a session alone is not
 * enough for a key or a token that may decide or prove.
 * @throws GateError `not_found`, `rate_limited`. To approve, also `proof_required` when the person has not recently
 * shown that they are there. Also `conflict` for a key that is already known, one key too many, or a person in no
 * project
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
      'You are not a member of any project, so a program could do nothing for you.',
      {},
    );
  // A device key or a token that may decide outlives the session and speaks for the person. So a stolen cookie must not
  // be enough to approve one.
  if (purpose === 'device_key' || rights.length > 0) assertConfirmed(gate, caller);
  else assertPresent(gate, caller);
}
