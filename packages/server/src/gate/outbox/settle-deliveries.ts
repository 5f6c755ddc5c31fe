import { nextAttemptAt } from '../kernel/backoff.ts';
import type { Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { Delivery, LeasedDelivery, OutboxReader, OutboxWriter } from './delivery.ts';
import type { OutboxDeps } from './outbox-deps.ts';

/**
 * How the other side answered. `gone`: it will never accept anything again. `failed`: to be retried, after
 * `afterSeconds` when the other side gave that.
 */
export interface Answer {
  kind: 'delivered' | 'gone' | 'failed';
  /** In the gate's own words, which name no address. Null: the target accepted it. */
  error: string | null;
  /** HTTP status, if there was one. */
  status?: number;
  /** The start of the answer, made inert. */
  response?: string | null;
  afterSeconds?: number | undefined;
}

/** What happens to a leased delivery. `dropped`: there is nothing left to say. `later`: it is released, unsent. */
export type Fate =
  | (Answer & { at: Instant; durationMs: number })
  | { kind: 'dropped' }
  | { kind: 'later'; at: Instant };

/** `lost`: another gate holds it. */
export type Settled = 'delivered' | 'postponed' | 'failed' | 'dropped' | 'lost';

const KEPT_ATTEMPTS = 20;

interface Retries {
  firstRetrySeconds: number;
  /** From 0 to 1. Spreads the retries of deliveries that failed together. */
  random: number;
}

/**
 * Records the fate of deliveries that were leased together. A delivery that is done lets the next one of its intent
 * follow.
 *
 * @param note Writes further facts about it, in the same transaction and afterwards.
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
