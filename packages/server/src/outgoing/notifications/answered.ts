import type { Clock } from '../../gate/kernel/clock.ts';
import { type Instant, millisecondsBetween } from '../../gate/kernel/instant.ts';
import type { Answer } from '../../gate/outbox/settle-deliveries.ts';
import { type Outgoing, type OutgoingAnswer, OutgoingError } from '../outgoing.ts';

/** The longest wait before a retry, whatever the other side asks for. */
const LONGEST_WAIT_SECONDS = 3600;

/** Posts the request, and returns how the other side answered. `who` names the other side in messages. */
export async function postFor(
  outgoing: Outgoing,
  request: Parameters<Outgoing['post']>[0],
  who: string,
  clock: Clock,
): Promise<Answer> {
  try {
    return toAnswer(await outgoing.post(request), who, clock.now());
  } catch (error) {
    if (error instanceof OutgoingError) return { kind: 'failed', error: error.message };
    throw error;
  }
}

function toAnswer({ status, headers }: OutgoingAnswer, who: string, now: Instant): Answer {
  if (status >= 200 && status < 300) return { kind: 'delivered', status, error: null };
  const error = `The ${who} answered ${status}.`;
  // The owner has removed the target (RFC 8030 §7.3; Slack's `no_service` and archived channels).
  if (status === 404 || status === 410) return { kind: 'gone', status, error };
  return { kind: 'failed', status, error, afterSeconds: retryAfter(headers['retry-after'], now) };
}

/** Reads seconds or a date (RFC 9110 §10.2.3). Returns seconds, at most an hour. */
export function retryAfter(text: string | undefined, now: Instant): number | undefined {
  if (text === undefined) return undefined;
  const date = Date.parse(text);
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : Number.isNaN(date)
      ? undefined
      : millisecondsBetween(now, new Date(date).toISOString()) / 1000;
  return seconds === undefined ? undefined : Math.min(Math.max(seconds, 1), LONGEST_WAIT_SECONDS);
}
