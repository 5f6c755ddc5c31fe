/**
 * Devices and browsers that receive push messages for a person. Their addresses are secrets: anyone who has an address
 * can send to it.
 */
import { createHash } from 'node:crypto';
import type { SessionCaller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { LABEL_RULE, toLabel } from '../kernel/label.ts';
import type { PushSubscription } from './notification.ts';
import type { NotificationDeps } from './notification-deps.ts';
import { notifyAboutAccount } from './notify-account.ts';

/** What a browser reports about its subscription (Push API, RFC 8291). */
export interface PushAddress {
  endpoint: string;
  /** base64url: the browser's public key, 65 bytes, and 16 bytes of authentication secret. */
  p256dh: string;
  auth: string;
}

const MOST_DEVICES = 20;

/**
 * Adds the browser that the person is using. Replaces a known browser, even if another person used it.
 *
 * @throws GateError `invalid_fields`; `conflict` when the person has twenty devices
 */
export async function addPushDevice(
  gate: NotificationDeps,
  { user }: SessionCaller,
  { label: text, ...address }: PushAddress & { label: string },
): Promise<PushSubscription> {
  const label = toLabel(text);
  const problem = gate.reach.findTargetProblem(address.endpoint);
  const problems = [
    ...(label === undefined ? [{ path: '/label', message: LABEL_RULE }] : []),
    ...(problem === undefined ? [] : [{ path: '/endpoint', message: problem }]),
    ...(bytesIn(address.p256dh) === 65
      ? []
      : [{ path: '/keys/p256dh', message: 'Must be 65 bytes, base64url.' }]),
    ...(bytesIn(address.auth) === 16
      ? []
      : [{ path: '/keys/auth', message: 'Must be 16 bytes, base64url.' }]),
  ];
  if (label === undefined || problems.length > 0) throw invalidFields(...problems);
  const id = gate.ids.next('psh');
  const subscription: PushSubscription = {
    id,
    userId: user.id,
    endpointHash: createHash('sha256').update(address.endpoint).digest('hex'),
    sealed: gate.secretEncryption.encrypt(purposeOf(id), JSON.stringify(address)),
    host: new URL(address.endpoint).host,
    label,
    createdAt: gate.clock.now(),
    lastSentAt: null,
  };
  await gate.storage.transaction(async (tx) => {
    const others = (await tx.listPushSubscriptions(user.id)).filter(
      ({ endpointHash }) => endpointHash !== subscription.endpointHash,
    );
    if (others.length >= MOST_DEVICES) {
      throw new GateError(
        'conflict',
        `You have ${MOST_DEVICES} devices, which is the maximum. Remove one first.`,
        {},
      );
    }
    await notifyAboutAccount(gate, tx, { userId: user.id, notice: 'device_added', detail: { name: label } });
    await tx.savePushSubscription(subscription);
  });
  return subscription;
}

/** @throws GateError `not_found` for an unknown device, and for another person's device */
export async function removePushDevice(
  gate: Pick<NotificationDeps, 'storage'>,
  { user }: SessionCaller,
  id: string,
): Promise<void> {
  await gate.storage.transaction(async (tx) => {
    const subscription = await tx.findPushSubscription(id);
    if (subscription?.userId !== user.id) throw new GateError('not_found', 'You have no such device.', {});
    await tx.deletePushSubscription(id);
  });
}

/** Undefined when the address was sealed under a key that is gone. */
export function openPushAddress(
  gate: Pick<NotificationDeps, 'secretEncryption'>,
  { id, sealed }: PushSubscription,
): PushAddress | undefined {
  const text = gate.secretEncryption.decrypt(purposeOf(id), sealed);
  return text === undefined ? undefined : (JSON.parse(text) as PushAddress);
}

function purposeOf(subscriptionId: string): string {
  return `push subscription ${subscriptionId}`;
}

function bytesIn(base64url: string): number {
  return /^[A-Za-z0-9_-]+={0,2}$/.test(base64url)
    ? Math.floor((base64url.replace(/=+$/, '').length * 3) / 4)
    : 0;
}
