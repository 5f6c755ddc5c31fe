/**
 * Makes one durable commit of the transactions that are requested at about the same time.
 *
 * Inside a group, transactions run strictly one after another. A transaction that is refused after a change undoes the
 * group. The group then runs again in two parts: the transactions before the refused one, and the others. No caller
 * gets an answer before the commit, not even a refusal, because it may depend on what an earlier transaction of the
 * group wrote.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { yieldToEventLoop } from '../../gate/kernel/yield-to-event-loop.ts';
import type { Transaction } from '../nouns.ts';
import { isServiceUnavailable, serviceUnavailable } from '../refusals.ts';
import { runEffect } from '../run-effect.ts';
import type { SqliteConnection } from './connection.ts';
import { isBusy } from './sqlite-error.ts';
import { Work } from './work.ts';

export interface GroupCommitOptions {
  /** How long to wait for another writing process. */
  busyTimeoutMs: number;
  maxGroupSize: number;
}

interface Job {
  run(tx: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const RETRY_MS = 5;
/** About the duration of a commit. */
const MOST_GATHERING_MS = 2;

export class GroupCommit {
  readonly counts = { commits: 0, failedGroups: 0, transactions: 0, refusedTransactions: 0, largestGroup: 0 };
  readonly #connection: SqliteConnection;
  readonly #options: GroupCommitOptions;
  readonly #statements: Record<'begin' | 'commit' | 'rollback', StatementSync>;
  readonly #current = new AsyncLocalStorage<Work>();
  #queue: Job[] = [];
  #draining: Promise<void> | undefined;
  #closed = false;

  constructor(connection: SqliteConnection, options: GroupCommitOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#statements = {
      begin: connection.database.prepare('begin immediate'),
      commit: connection.database.prepare('commit'),
      rollback: connection.database.prepare('rollback'),
    };
  }

  /** See `Storage.transaction`. */
  submit<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#current.getStore()?.isOpen) {
      return Promise.reject(new Error('a transaction inside a transaction would wait for itself forever'));
    }
    if (this.#closed) return Promise.reject(serviceUnavailable(new Error('the storage is closed')));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: work, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Lets queued transactions finish. Later ones are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      const group = this.#queue.splice(0, this.#options.maxGroupSize);
      await this.#runGroup(group);
    }
    this.#draining = undefined;
  }

  /**
   * Waits until two turns of the event loop brought no more work. Two, because a request is admitted at the end of one
   * turn and starts its transaction in the next. If turns are long, waits for only two, so that a stream of other
   * requests cannot delay a stop or a revocation.
   */
  async #gather(): Promise<void> {
    const until = performance.now() + MOST_GATHERING_MS;
    let gathered: number;
    do {
      gathered = this.#queue.length;
      await yieldToEventLoop();
      await yieldToEventLoop();
    } while (
      this.#queue.length > gathered &&
      this.#queue.length < this.#options.maxGroupSize &&
      performance.now() < until
    );
  }

  async #runGroup(group: readonly Job[]): Promise<void> {
    this.counts.transactions += group.length;
    this.counts.largestGroup = Math.max(this.counts.largestGroup, group.length);
    try {
      await this.#commit(group);
    } catch (cause) {
      this.counts.failedGroups += 1;
      this.#undo();
      const error = isServiceUnavailable(cause) ? cause : serviceUnavailable(cause);
      // If a part is already committed, its transactions have been answered.
      for (const job of group) job.reject(error);
    }
  }

  /**
   * Runs the group in one transaction. If a work is refused after a change, the works before it run in a second
   * transaction. The refused work and the later ones run in a third. So no work runs more than twice because of one
   * refusal. Throws only an error that ends the whole group.
   */
  async #commit(group: readonly Job[]): Promise<void> {
    await this.#begin();
    const works: Work[] = [];
    for (const job of group) {
      const work = new Work(this.#connection);
      works.push(work);
      try {
        work.resolved(await this.#current.run(work, job.run, work.transaction));
      } catch (error) {
        work.refused(error);
      }
      work.end();
      if (!work.isRefused || !work.hasChanged) continue;
      this.#statements.rollback.run();
      const before = works.length - 1;
      if (before > 0) {
        this.counts.failedGroups += 1;
        await this.#commitLater(group.slice(0, before));
      } else this.#tell(group, works);
      // The refused work is the first of the group, so no other work has changed anything.
      return this.#commitLater(group.slice(Math.max(before, 1)));
    }
    this.#statements.commit.run();
    this.counts.commits += 1;
    this.#tell(group, works);
  }

  async #commitLater(group: readonly Job[]): Promise<void> {
    if (group.length === 0) return;
    await yieldToEventLoop();
    await this.#commit(group);
  }

  /** Waits for another process without blocking the event loop. */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#options.busyTimeoutMs;
    for (;;) {
      try {
        this.#statements.begin.run();
        this.#connection.revisions.clear();
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  #tell(group: readonly Job[], works: readonly Work[]): void {
    for (const [index, work] of works.entries()) {
      if (work.isRefused) {
        this.counts.refusedTransactions += 1;
        group[index]?.reject(work.answer);
      } else {
        group[index]?.resolve(work.answer);
        for (const effect of work.effects) runEffect(effect);
      }
    }
  }

  #undo(): void {
    try {
      if (this.#connection.database.isTransaction) this.#statements.rollback.run();
    } catch {
      // SQLite has already rolled back on its own. The original error says what went wrong.
    }
  }
}
