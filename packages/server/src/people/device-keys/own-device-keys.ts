/** What people do with their own device keys. */

import { assertPresent } from '../../gate/access/assert-present.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import type { GateError } from '../../gate/kernel/errors.ts';
import { checkName } from '../../gate/kernel/label.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import { notifyAboutAccount } from '../../gate/notifications/notify-account.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts';
import type { DeviceKey } from './device-key.ts';

/** Oldest first. */
export async function listOwnDeviceKeys(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: SessionCaller,
): Promise<readonly DeviceKey[]> {
  return gate.storage.read.listDeviceKeys(caller.user.id);
}

/** @throws GateError `invalid_fields`; `not_found`, also for another person's key */
export async function renameDeviceKey(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: SessionCaller,
  input: { id: string; name: string },
): Promise<void> {
  const name = checkName(input.name);
  const renamed = await gate.storage.transaction((tx) => tx.renameDeviceKey(caller.user.id, input.id, name));
  if (!renamed) throw unknownKey();
}

/**
 * Removes a device key. Records it in the audit log of each of the person's projects.
 * @throws GateError `proof_required` when the person has not recently shown that they are there; `not_found`, also for
 * another person's key
 */
export async function removeDeviceKey(
  gate: PeopleDeps,
  caller: SessionCaller,
  input: { id: string },
): Promise<void> {
  assertPresent(gate, caller);
  const userId = caller.user.id;
  await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    const key = (await tx.listDeviceKeys(userId)).find(({ id }) => id === input.id);
    if (!key || !(await tx.deleteDeviceKey(userId, key.id))) throw unknownKey();
    // The key may have signed a proof for a decision that is not made yet. Such a proof ends with the key.
    await tx.deleteProofSessionsOf(userId);
    await recordAccountEvent(gate, tx, {
      type: 'device_key.removed',
      userId,
      actor: asActor(caller.user),
      data: { device_key_id: key.id, key_id: key.keyId },
    });
    await notifyAboutAccount(gate, tx, { userId, notice: 'device_key_removed', detail: { name: key.name } });
  });
}

function unknownKey(): GateError<'not_found'> {
  return notFound('device key');
}
