import { createHash } from 'node:crypto';
import webPush from 'web-push';
import type { PushAddress } from '../../gate/notifications/push-devices.ts';
import type { OpenPushIdentity } from '../../gate/notifications/push-identity.ts';
import type { OutgoingRequest } from '../outgoing.ts';

/** What the service worker of the dashboard is told, and shows. It holds nothing that decides anything. */
export interface PushPayload {
  title: string;
  body: string;
  /** Below the gate's address. */
  path: string;
  /** A later message of the same tag takes the place of an earlier one. */
  tag: string;
  /** Stays on the screen until it is looked at. */
  lasting: boolean;
}

export interface PushEnvelope {
  ttlSeconds: number;
  urgency: 'normal' | 'high';
}

/**
 * The request that hands a message to a push service: encrypted for the browser alone (RFC 8291) and signed with the
 * gate's own key (RFC 8292). Somebody else sends it, through the guarded door.
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
      // What was not delivered yet is replaced. The service sees the topic: it must not see what it is about.
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
