import { type Instant, millisecondsBetween } from '../../gate/kernel/instant.ts';
import type { OutgoingAnswer } from '../outgoing.ts';
import type { Handover } from './senders.ts';

/** Nobody is to be waited for longer, whatever they ask. */
const LONGEST_WAIT_SECONDS = 3600;

/** What an answer means for what was sent. `who` answered it. */
export function toHandover({ status, headers }: OutgoingAnswer, who: string, now: Instant): Handover {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const error = `The ${who} answered ${status}.`;
  // Taken back by whoever gave it (RFC 8030 §7.3; Slack's `no_service` and archived channels).
  if (status === 404 || status === 410) return { kind: 'gone', error };
  const afterSeconds = retryAfter(headers['retry-after'], now);
  return afterSeconds === undefined ? { kind: 'failed', error } : { kind: 'failed', error, afterSeconds };
}

/** Seconds, or a date (RFC 9110 §10.2.3); at most an hour. */
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
