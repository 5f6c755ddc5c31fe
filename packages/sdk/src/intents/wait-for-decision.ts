import type { CallOptions } from '../calls/call-options.ts';
import { type HttpClient, segment } from '../calls/http-client.ts';
import { backoffMs, isPassing } from '../calls/is-passing.ts';
import { LONGEST_TIMER_MS, pause } from '../calls/pause.ts';
import { ConnectionError } from '../errors/connection-error.ts';
import { PermitryError } from '../errors/permitry-error.ts';
import { WaitTimeoutError } from '../errors/wait-timeout-error.ts';
import type { Intent } from '../wire/intent.ts';
import { assertIntent } from './assert-intent.ts';

/** How long to wait, in addition to the options of every call. */
export interface WaitOptions extends CallOptions {
  /**
   * Milliseconds in total. Default: until the intent is resolved, which happens at its `expires_at` at the latest.
   * After five minutes without any answer from the gate, the wait fails.
   */
  waitMs?: number | undefined;
}

/** The gate holds a poll for up to 60 seconds, but many proxies cut it at 60. */
const LONGEST_POLL_SECONDS = 50;
const LONGEST_OUTAGE_MS = 300_000;
const LONGEST_RETRY_AFTER_MS = 30_000;
/** The wait fails after this many consecutive answers that no gate would give. */
const MOST_BROKEN = 3;

/**
 * Long polls until the intent is no longer pending. It retries after a broken poll, a gate restart, a 429 and a 502 to
 * 504. It throws every other error without a retry.
 *
 * @throws WaitTimeoutError, PermitryError, ConnectionError; the signal's reason
 */
export async function waitForDecision(
  http: HttpClient,
  id: string,
  { waitMs = Number.POSITIVE_INFINITY, ...options }: WaitOptions = {},
): Promise<Intent> {
  if (!(waitMs >= 0)) throw new TypeError('waitMs must be a number of milliseconds, 0 or more');
  const begun = performance.now();
  const trouble = new Trouble(waitMs);
  let latest: Intent | undefined;
  for (;;) {
    const left = waitMs - (performance.now() - begun);
    // A poll takes whole seconds. If less than a second is left, the client pauses for that time and then reads one
    // last time.
    const isLastPoll = left < 1000;
    if (isLastPoll) await pause(left, options.signal);
    const waitSeconds = isLastPoll ? 0 : Math.min(LONGEST_POLL_SECONDS, Math.floor(left / 1000));
    const asked = performance.now();
    try {
      latest = await longPoll(http, id, waitSeconds, options);
      if (latest.status !== 'pending') return latest;
      trouble.forget();
    } catch (error) {
      if (!trouble.maySurvive(error)) throw error;
      if (isLastPoll) throw latest ? new WaitTimeoutError(latest, waitMs, { cause: error }) : error;
      await pause(Math.min(trouble.pauseMs(error), remaining(waitMs, begun)), options.signal);
      continue;
    }
    if (isLastPoll) throw new WaitTimeoutError(latest, waitMs);
    // A draining gate answers early only once. A proxy that never holds a poll must not be polled in a tight loop.
    const isEarly = performance.now() - asked < (waitSeconds * 1000) / 2;
    if (isEarly) await pause(Math.min(trouble.earlyMs(), remaining(waitMs, begun)), options.signal);
  }
}

async function longPoll(
  http: HttpClient,
  id: string,
  waitSeconds: number,
  options: CallOptions,
): Promise<Intent> {
  const intent = await http.send<Intent>(
    {
      method: 'GET',
      path: `/v1/intents/${segment(id)}`,
      ...(waitSeconds === 0 ? {} : { query: { wait: waitSeconds }, waitMs: waitSeconds * 1000 }),
      maxAttempts: 1,
    },
    options,
  );
  return assertIntent(intent, id);
}

function remaining(waitMs: number, begun: number): number {
  return Math.min(Math.max(0, waitMs - (performance.now() - begun)), LONGEST_TIMER_MS);
}

/** The failures since the last good answer. */
class Trouble {
  readonly #hasEnd: boolean;
  #failures = 0;
  #broken = 0;
  #early = 0;
  #since: number | undefined;

  constructor(waitMs: number) {
    this.#hasEnd = Number.isFinite(waitMs);
  }

  forget(): void {
    this.#failures = 0;
    this.#broken = 0;
    this.#since = undefined;
  }

  maySurvive(error: unknown): boolean {
    if (!isPassing(error)) return false;
    this.#failures += 1;
    this.#since ??= performance.now();
    if (error instanceof ConnectionError && error.problem === 'broken_answer') this.#broken += 1;
    if (this.#broken >= MOST_BROKEN) return false;
    return this.#hasEnd || performance.now() - this.#since < LONGEST_OUTAGE_MS;
  }

  pauseMs(error: unknown): number {
    const asked = error instanceof PermitryError ? (error.retryAfterMs ?? 0) : 0;
    const most = error instanceof PermitryError && error.status === 429 ? asked : LONGEST_RETRY_AFTER_MS;
    return Math.max(Math.min(asked, most), backoffMs(this.#failures));
  }

  earlyMs(): number {
    this.#early += 1;
    return backoffMs(this.#early);
  }
}
