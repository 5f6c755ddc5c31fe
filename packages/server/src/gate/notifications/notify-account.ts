import type { JsonObject } from '@permitry/protocol';
import type { OutboxWriter } from '../outbox/delivery.ts';
import type { NotificationReader } from './notification.ts';
import type { NotificationDeps } from './notification-deps.ts';
import { tellOwnChannels } from './own-channels.ts';

/** The things that can happen to a person's account. */
export type AccountNotice =
  | 'password_changed'
  | 'password_reset'
  | 'passkey_added'
  | 'passkey_removed'
  | 'passkey_refused'
  | 'device_key_added'
  | 'device_key_removed'
  | 'program_connected'
  | 'totp_enabled'
  | 'totp_disabled'
  | 'recovery_codes_replaced'
  | 'recovery_code_used'
  | 'identity_added'
  | 'identity_removed'
  | 'device_added'
  | 'sign_in_blocked'
  | 'signed_in_from_new_device';

/**
 * Notifies a person of a change to their account, in the transaction of that change. Sends mail whatever the person's
 * preferences, and push if they allow it. Without mail and devices, nobody is notified.
 *
 * @param told.detail Lets the reader recognise the change, e.g. `{ name: 'Phone' }`, `{ address: '192.0.2.1' }`. Never
 * a secret.
 * @example await notifyAboutAccount(gate, tx, { userId, notice: 'passkey_added', detail: { name: passkey.name } });
 */
export async function notifyAboutAccount(
  gate: Pick<NotificationDeps, 'clock' | 'ids' | 'reach'>,
  tx: NotificationReader & OutboxWriter,
  { userId, notice, detail = {} }: { userId: string; notice: AccountNotice; detail?: JsonObject },
): Promise<void> {
  const about = { kind: 'security', causeId: gate.ids.next('ntc'), detail: { ...detail, notice } };
  await tellOwnChannels(gate, tx, userId, about);
}
