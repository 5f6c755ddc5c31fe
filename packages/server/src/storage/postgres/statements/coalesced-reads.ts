import type { PreparedQuery, QueryRunner } from '../../sql/prepared-query.ts';
import type { Pool } from '../connections/pool.ts';
import { endsConnection, toGateError } from '../postgres-error.ts';
import { type Asking, askTogether } from './ask-together.ts';
import { statementOf } from './statements.ts';

interface ReadAsking extends Asking {
  fail(error: unknown): void;
  retried: boolean;
}

/**
 * What is read together waits for the slowest of it. Reads that take long have connections to themselves from here on;
 * the others gather behind at most this many that are quick.
 */
const QUICK_AT_ONCE = 2;
const QUICK_MS = 10;

/** Reads what is committed. Equal queries that are asked for in one turn of the event loop go as one statement. */
export class CoalescedReads implements QueryRunner {
  readonly #pool: Pool;
  #asked: ReadAsking[] = [];
  #quick = 0;
  #isWaiting = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    return this.#put(query, params, (rows) => rows as R[]);
  }

  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    return this.#put(query, params, ([row]) => row as R | undefined);
  }

  change(): Promise<number> {
    return Promise.reject(new Error('this connection only reads'));
  }

  #put<P extends object, R, T>(
    query: PreparedQuery<P, R>,
    params: P,
    read: (rows: Record<string, unknown>[]) => T,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const statement = statementOf(query);
      this.#asked.push({
        statement,
        values: statement.form.bind(params),
        answer: (rows) => resolve(read(rows)),
        fail: (error) => reject(toGateError(error)),
        retried: false,
      });
      this.#flushSoon();
    });
  }

  /** At the end of the turn, when all requests that came in it have asked. */
  #flushSoon(): void {
    if (this.#isWaiting || this.#quick >= QUICK_AT_ONCE) return;
    this.#isWaiting = true;
    setImmediate(() => {
      this.#isWaiting = false;
      if (this.#asked.length === 0 || this.#quick >= QUICK_AT_ONCE) return;
      const askings = this.#asked;
      this.#asked = [];
      void this.#flush(askings);
    });
  }

  async #flush(askings: readonly ReadAsking[]): Promise<void> {
    this.#quick += 1;
    let isQuick = true;
    const noLongerQuick = () => {
      if (!isQuick) return;
      isQuick = false;
      this.#quick -= 1;
      if (this.#asked.length > 0) this.#flushSoon();
    };
    const timer = setTimeout(noLongerQuick, QUICK_MS);
    try {
      await this.#ask(askings);
    } finally {
      clearTimeout(timer);
      noLongerQuick();
    }
  }

  async #ask(askings: readonly ReadAsking[]): Promise<void> {
    let connection: Awaited<ReturnType<Pool['take']>>;
    try {
      connection = await this.#pool.take();
    } catch (error) {
      for (const asking of askings) asking.fail(error);
      return;
    }
    try {
      for (const failed of await askTogether(connection, askings)) {
        this.#again(failed.askings as readonly ReadAsking[], failed.error);
      }
    } finally {
      this.#pool.give(connection);
    }
  }

  /** What failed among others is asked for alone; so is, once, what a lost connection took along. */
  #again(askings: readonly ReadAsking[], error: unknown): void {
    for (const asking of askings) {
      if (asking.retried || (askings.length === 1 && !endsConnection(error))) {
        asking.fail(error);
      } else {
        asking.retried = true;
        void this.#ask([asking]);
      }
    }
  }
}
