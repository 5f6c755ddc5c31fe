import { nextAttemptAt } from '../kernel/backoff.ts';
import type { Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { Delivery, LeasedDelivery, OutboxReader, OutboxWriter } from './delivery.ts';
import type { OutboxDeps } from './outbox-deps.ts';

/**
 * The target's answer. `gone`: the target will never accept anything again. `failed`: to be retried, after
 * `afterSeconds`
 * if the target gave a time.
 */
export interface Answer {
  kind: 'delivered' | 'gone' | 'failed';
  /** The error in the gate's own words, which contain no address. Null: the target accepted the message. */
  error: string | null;
  /** HTTP status, if there was one. */
  status?: number;
  /** The start of the answer, made inert. */
  response?: string | null;
  afterSeconds?: number | undefined;
}

/**
 * What happens to a leased delivery. `dropped`: there is nothing left to say. `later`: the delivery is released,
 * unsent.
 */
export type Fate =
  | (Answer & { at: Instant; durationMs: number })
  | { kind: 'dropped' }
  | { kind: 'later'; at: Instant };

/** `lost`: another gate holds the delivery. */
export type Settled = 'delivered' | 'postponed' | 'failed' | 'dropped' | 'lost';

const KEPT_ATTEMPTS = 20;

interface Retries {
  firstRetrySeconds: number;
  /** From 0 to 1. Spreads the retries of deliveries that failed together. */
  random: number;
}

/**
 * Records the fate of deliveries that were leased together. The end of a delivery makes the next delivery of its intent
 * due.
 *
 * @param note Writes further facts in the same transaction, or registers effects for after its commit.
 */
export function settleDeliveries<Reads, Writes>(
  gate: OutboxDeps<Reads, Writes>,
  fates: ReadonlyMap<LeasedDelivery, Fate>,
  retries: Retries,
  note?: (tx: OutboxReader & Reads & OutboxWriter & Writes & AfterCommit) => Promise<void>,
): Promise<Settled[]> {
  const now = gate.clock.now();
  return gate.storage.transaction(
    async (tx) => {
      const settled: Settled[] = [];
      for (const [delivery, fate] of fates) settled.push(await settle(tx, delivery, fate, now, retries));
      await note?.(tx);
      return settled;
    },
    { guarded: true },
  );
}

async function settle(
  tx: OutboxWriter,
  delivery: LeasedDelivery,
  fate: Fate,
  now: Instant,
  { firstRetrySeconds: firstSeconds, random }: Retries,
): Promise<Settled> {
  const { position, holder, createdAt, attemptCount: attempts } = delivery;
  if (fate.kind === 'later')
    return (await tx.releaseDelivery(position, holder, fate.at)) ? 'postponed' : 'lost';
  const record = fate.kind === 'dropped' ? delivery : withAttempt(delivery, fate);
  const again =
    fate.kind === 'failed'
      ? nextAttemptAt({ createdAt, attempts }, now, random, {
          firstSeconds,
          atLeastSeconds: fate.afterSeconds,
        })
      : null;
  if (again !== null)
    return (await tx.postponeDelivery(position, holder, again, record)) ? 'postponed' : 'lost';
  const state = fate.kind === 'gone' ? 'failed' : fate.kind;
  return (await tx.finishDelivery(delivery, holder, state, now, record)) ? state : 'lost';
}

function withAttempt(
  { attempts, attemptCount }: Delivery,
  { at, durationMs, status, error, response }: Extract<Fate, Answer>,
) {
  const attempt = { at, durationMs, status: status ?? null, error, response: response ?? null };
  return {
    attempts: [...attempts, attempt].slice(-KEPT_ATTEMPTS),
    attemptCount: attemptCount + 1,
    lastStatus: attempt.status,
    lastError: error,
  };
}
