import { Webhook } from 'standardwebhooks';

/**
 * The headers that prove to a receiver that a body comes from the gate, and when it was sent (Standard Webhooks 1.0).
 *
 * @param sent.id Stays the same, however often the body is sent.
 * @param sent.at Milliseconds since the epoch.
 * @param secrets `whsec_…`. Each secret signs the body, so a receiver may use any of them.
 */
export function signedHeaders(
  { id, at, body }: { id: string; at: number; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
