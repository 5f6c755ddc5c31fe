import { openAddress } from '../../gate/webhooks/address.ts';
import { isTooLateToSend } from '../../gate/webhooks/claim-deliveries.ts';
import { readPayload } from '../../gate/webhooks/payload.ts';
import { openSecrets } from '../../gate/webhooks/secrets.ts';
import type { AttemptOutcome } from '../../gate/webhooks/settle-delivery.ts';
import type { LeasedDelivery, Webhook } from '../../gate/webhooks/webhook.ts';
import type { WebhookDeps } from '../../gate/webhooks/webhook-deps.ts';
import { toInertLine } from '../inert-text.ts';
import { retryAfter } from '../notifications/answered.ts';
import { type Outgoing, type OutgoingAnswer, OutgoingError } from '../outgoing.ts';
import { signedHeaders } from './sign.ts';

/** So much of an answer is kept, for whoever looks for what went wrong. */
const EXCERPT_CHARACTERS = 500;

/**
 * One attempt: what is sent is read from the log now, signed with every secret that signs now, and sent once. Does not
 * throw for what the other side does. `too_late`: nothing was sent, for somebody else may be about to.
 */
export async function sendDelivery(
  gate: WebhookDeps,
  outgoing: Outgoing,
  webhook: Webhook,
  delivery: LeasedDelivery,
): Promise<AttemptOutcome | { kind: 'too_late' }> {
  const at = gate.clock.now();
  const began = performance.now();
  const failed = (error: string): AttemptOutcome => ({
    kind: 'failed',
    attempt: { at, durationMs: since(began), status: null, error, response: null },
  });
  const url = openAddress(gate, webhook);
  const secrets = openSecrets(gate, webhook, at);
  if (url === undefined || secrets.length === 0)
    return failed('The address and the secret cannot be read: they were sealed under a key that is gone.');
  const payload = await readPayload(gate, delivery);
  if (!payload) return failed('The event is not in the log any more.');
  const body = JSON.stringify(payload);
  const sent = { id: delivery.eventId ?? delivery.id, at: Date.parse(at), body };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Permitry',
    ...signedHeaders(sent, secrets),
  };
  // As the last thing before it leaves: nothing is awaited between, and the door cuts what it began in time.
  if (isTooLateToSend(gate, delivery)) return { kind: 'too_late' };
  try {
    return toOutcome(gate, await outgoing.post({ url, headers, body }), at, since(began));
  } catch (error) {
    if (error instanceof OutgoingError) return failed(error.message);
    throw error;
  }
}

function toOutcome(
  gate: WebhookDeps,
  answer: OutgoingAnswer,
  at: string,
  durationMs: number,
): AttemptOutcome {
  const { status, headers, body } = answer;
  const response = body.length === 0 ? null : toInertLine(body.toString('utf8'), EXCERPT_CHARACTERS);
  if (status >= 200 && status < 300) {
    return { kind: 'delivered', attempt: { at, durationMs, status, error: null, response } };
  }
  const isRedirect = status >= 300 && status < 400;
  const error = `It answered ${status}${isRedirect ? '; redirects are not followed' : ''}.`;
  const attempt = { at, durationMs, status, error, response };
  if (status === 410) return { kind: 'gone', attempt };
  const afterSeconds = retryAfter(headers['retry-after'], gate.clock.now());
  return { kind: 'failed', attempt, ...(afterSeconds === undefined ? {} : { afterSeconds }) };
}

function since(began: number): number {
  return Math.round(performance.now() - began);
}
