/** Runs works in transactions of their own, and retries a work when another transaction came first. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '../../nouns.ts';
import type { PostgresConnection } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { endsConnection, isRetryable, toGateError, unknownOutcome } from '../postgres-error.ts';
import { type Isolation, LoneWork } from './lone-work.ts';
import type { Verdict } from './verdict.ts';

export interface LoneOptions {
  /** How long to retry a work that conflicts with others. */
  retryForMs: number;
}

const LONGEST_PAUSE_MS = 100;

export class LoneTransactions {
  readonly counts = { commits: 0, retries: 0 };
  readonly #pool: Pool;
  readonly #current: AsyncLocalStorage<{ readonly isOpen: boolean }>;
  readonly #options: LoneOptions;

  constructor(pool: Pool, current: AsyncLocalStorage<{ readonly isOpen: boolean }>, options: LoneOptions) {
    this.#pool = pool;
    this.#current = current;
    this.#options = options;
  }

  /** Returns once the effect of the work is durable or undone. Never throws. */
  async run(work: (tx: Transaction) => Promise<unknown>, isolation: Isolation): Promise<Verdict> {
    const deadline = performance.now() + this.#options.retryForMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        const verdict = await this.#attempt(work, isolation);
        this.counts.commits += 1;
        return verdict;
      } catch (error) {
        if (!startsOver(error) || performance.now() >= deadline)
          return { kind: 'refused', error: toGateError(error) };
      }
      this.counts.retries += 1;
      await delay(Math.random() * pause);
    }
  }

  async #attempt(work: (tx: Transaction) => Promise<unknown>, isolation: Isolation): Promise<Verdict> {
    const connection = await this.#pool.take().catch((error: unknown) => {
      // When no server can be reached, guarded works fail without a retry, as in a group.
      throw isolation === 'serializable' ? error : toGateError(error);
    });
    return this.#runOn(connection, work, isolation).finally(() => this.#pool.give(connection));
  }

  /** Throws the database's error; `run` decides whether to try again. */
  async #runOn(
    connection: PostgresConnection,
    work: (tx: Transaction) => Promise<unknown>,
    isolation: Isolation,
  ): Promise<Verdict> {
    // Not awaited: the work's first query follows in the same packet.
    connection.send({ text: `begin isolation level ${isolation}` }).catch(() => {});
    const lone = new LoneWork(connection, isolation);
    let verdict: Verdict;
    try {
      const value = await this.#current.run(lone, work, lone.transaction);
      for (const check of lone.checks) check();
      verdict = { kind: 'done', value, effects: lone.effects };
    } catch (error) {
      verdict = { kind: 'refused', error };
    }
    lone.isOpen = false;
    if (lone.failure === undefined && (verdict.kind === 'done' || !lone.hasWritten)) {
      // Commits refusals too, because only the commit shows that the data read is still valid.
      await commit(connection);
      return verdict;
    }
    await connection.send({ text: 'rollback' }).catch(() => {});
    if (verdict.kind === 'done' || startsOver(lone.failure)) throw lone.failure;
    return verdict;
  }
}

function startsOver(error: unknown): boolean {
  return isRetryable(error) || endsConnection(error);
}

/**
 * @throws GateError `service_unavailable` when it is unknown whether the transaction was committed; the server's error
 * when it was not
 */
export async function commit(connection: PostgresConnection): Promise<void> {
  const { warnings } = connection;
  try {
    const { command } = await connection.send({ text: 'commit' });
    // PostgreSQL answers ROLLBACK when the work ignored an error of its transaction.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
    // The wait for the standby was cancelled: the transaction is committed here, but may be lost with this server.
    if (connection.warnings > warnings) throw unknownOutcome(new Error('the server warned of this commit'));
  } catch (error) {
    throw endsConnection(error) ? unknownOutcome(error) : error;
  }
}
