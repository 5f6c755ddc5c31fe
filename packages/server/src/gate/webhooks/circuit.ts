/** Decides when to send nothing to a failing endpoint for a while, and when to disable it. Pure. */
import { addSeconds, type Instant, millisecondsBetween } from '../kernel/instant.ts';
import type { WebhookHealth } from './webhook.ts';

/** This many failures in a row open the circuit. */
const OPENS_AFTER = 5;
const SHORTEST_OPEN_SECONDS = 15;
const LONGEST_OPEN_SECONDS = 600;

/** An endpoint that accepted nothing for this long, although the gate tried, is disabled. */
const DISABLED_AFTER_SECONDS = 5 * 24 * 60 * 60;
const DISABLED_AFTER_FAILURES = 20;

/**
 * Until when nothing is sent to the endpoint after one more failure. Null: the circuit stays closed. The longer the
 * endpoint fails, the longer the gate waits. Then one attempt decides.
 */
export function circuitOpenUntil({ failures, failingSince }: WebhookHealth, now: Instant): Instant | null {
  if (failures + 1 < OPENS_AFTER) return null;
  const failingSeconds = failingSince === null ? 0 : millisecondsBetween(failingSince, now) / 1000;
  return addSeconds(now, Math.min(Math.max(failingSeconds / 4, SHORTEST_OPEN_SECONDS), LONGEST_OPEN_SECONDS));
}

/** Whether to disable the endpoint after one more failure. */
export function isHopeless({ failures, failingSince }: WebhookHealth, now: Instant): boolean {
  if (failingSince === null || failures + 1 < DISABLED_AFTER_FAILURES) return false;
  return now >= addSeconds(failingSince, DISABLED_AFTER_SECONDS);
}
