import { type DeviceKeyJwk, deviceKeyId } from '@permitry/protocol';
import type { AuditWriter } from '../../gate/audit/audit-event.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { AfterCommit } from '../../gate/kernel/storage.ts';
import type { NotificationReader } from '../../gate/notifications/notification.ts';
import { notifyAboutAccount } from '../../gate/notifications/notify-account.ts';
import type { OutboxWriter } from '../../gate/outbox/delivery.ts';
import type { ProjectReader } from '../../gate/projects/project.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import type { DeviceKeyReader, DeviceKeyWriter } from './device-key.ts';

const MOST_DEVICE_KEYS = 20;

/**
 * Stores a key that the person saw and approved, in the transaction of that approval. Records it in the audit log of
 * each of the person's projects, and notifies the person.
 * @throws GateError `conflict` for too many keys, or for a key that is already known, even as another person's
 */
export async function addDeviceKey(
  gate: PeopleDeps,
  tx: AfterCommit &
    AuditWriter &
    DeviceKeyReader &
    DeviceKeyWriter &
    NotificationReader &
    OutboxWriter &
    ProjectReader,
  user: { id: string; email: string },
  { id, jwk, name, address }: { id: string; jwk: DeviceKeyJwk; name: string; address: string | null },
): Promise<void> {
  if ((await tx.listDeviceKeys(user.id)).length >= MOST_DEVICE_KEYS) {
    throw new GateError(
      'conflict',
      `You already have ${MOST_DEVICE_KEYS} device keys, which is the maximum. Remove one first.`,
      {},
    );
  }
  const keyId = deviceKeyId(jwk);
  const createdAt = gate.clock.now();
  const key = { id, userId: user.id, keyId, jwk, name, createdAt, lastUsedAt: null };
  if (!(await tx.insertDeviceKey(key)))
    throw new GateError('conflict', 'This key is already registered. Create a new one.', {});
  await recordAccountEvent(gate, tx, {
    type: 'device_key.added',
    userId: user.id,
    actor: asActor(user),
    data: { device_key_id: id, key_id: keyId },
  });
  const detail = { name, ...(address === null ? {} : { address }) };
  await notifyAboutAccount(gate, tx, { userId: user.id, notice: 'device_key_added', detail });
}
