import { createHash } from 'node:crypto';
import webPush from 'web-push';
import type { PushAddress } from '../../gate/notifications/push-devices.ts';
import type { OpenPushIdentity } from '../../gate/notifications/push-identity.ts';
import type { OutgoingRequest } from '../outgoing.ts';

/** The content that the dashboard's service worker receives and shows. Nothing in it can decide a request. */
export interface PushPayload {
  title: string;
  body: string;
  /** Relative to the gate's address. */
  path: string;
  /** A later message with the same tag replaces an earlier one. */
  tag: string;
  /** Whether the message stays on the screen until the person reacts. */
  lasting: boolean;
}

export interface PushEnvelope {
  ttlSeconds: number;
  urgency: 'normal' | 'high';
}

/**
 * Builds the request that hands a message to a push service. The message is encrypted for the browser alone (RFC 8291)
 * and signed with the gate's own key (RFC 8292). The caller sends it through the guarded client.
 */
export function toPushRequest(
  address: PushAddress,
  payload: PushPayload,
  envelope: PushEnvelope,
  { identity, subject }: { identity: OpenPushIdentity; subject: string },
): OutgoingRequest {
  const { endpoint, headers, body } = webPush.generateRequestDetails(
    { endpoint: address.endpoint, keys: { p256dh: address.p256dh, auth: address.auth } },
    JSON.stringify(payload),
    {
      vapidDetails: { subject, publicKey: identity.publicKey, privateKey: identity.privateKey },
      contentEncoding: 'aes128gcm',
      TTL: Math.max(0, Math.round(envelope.ttlSeconds)),
      urgency: envelope.urgency,
      // A message replaces an undelivered one with the same topic. The service sees the topic, and must not learn its
      // meaning.
      topic: createHash('sha256').update(payload.tag).digest('base64url').slice(0, 32),
    },
  );
  const plain = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    String(value),
  ]);
  return { url: endpoint, headers: Object.fromEntries(plain), body };
}

/** A fresh key pair for push services (VAPID, RFC 8292). */
export function makePushKeys(): { publicKey: string; privateKey: string } {
  return webPush.generateVAPIDKeys();
}
