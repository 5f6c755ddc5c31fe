import { type DeviceKeyJwk, deviceKeyId } from '@permitry/protocol';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Gate } from '../../gate/kernel/gate.ts';
import type { Transaction } from '../../gate/kernel/ports.ts';
import { tellAboutAccount } from '../../gate/notifications/tell-account.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';

const MOST_DEVICE_KEYS = 20;

/**
 * Keeps a key that the person was shown and approved, in the transaction of that. Each project of the person has it in
 * its ledger, and the person is told.
 *
 * @throws GateError `conflict` for too many, or a key that is known already, whoever has it
 */
export async function addDeviceKey(
  gate: Gate,
  tx: Transaction,
  user: { id: string; email: string },
  { id, jwk, name, address }: { id: string; jwk: DeviceKeyJwk; name: string; address: string | null },
): Promise<void> {
  if ((await tx.listDeviceKeys(user.id)).length >= MOST_DEVICE_KEYS) {
    throw new GateError(
      'conflict',
      `A person has ${MOST_DEVICE_KEYS} device keys at most; remove one first.`,
      {},
    );
  }
  const keyId = deviceKeyId(jwk);
  const createdAt = gate.clock.now();
  const key = { id, userId: user.id, keyId, jwk, name, createdAt, lastUsedAt: null };
  if (!(await tx.insertDeviceKey(key)))
    throw new GateError('conflict', 'This key is known already; make a new one.', {});
  await recordAccountEvent(gate, tx, {
    type: 'device_key.added',
    userId: user.id,
    actor: asActor(user),
    data: { device_key_id: id, key_id: keyId },
  });
  const detail = { name, ...(address === null ? {} : { address }) };
  await tellAboutAccount(gate, tx, { userId: user.id, notice: 'device_key_added', detail });
}
