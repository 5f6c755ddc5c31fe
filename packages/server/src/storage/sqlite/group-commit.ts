/**
 * Makes one durable commit of the transactions that were asked for in one turn of the event loop.
 *
 * Inside a group they run strictly one after another. One that is refused after it has changed something undoes the group,
 * whose halves then run again, each as a group of its own. Nobody is answered before the commit, not even with a refusal:
 * it may rest on what an earlier one of the group wrote.
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
  /** How long to wait for another process that writes. */
  busyTimeoutMs: number;
  maxGroupSize: number;
}

interface Job {
  run(tx: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const RETRY_MS = 5;

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
      return Promise.reject(new Error('a transaction inside a transaction would wait for itself for ever'));
    }
    if (this.#closed) return Promise.reject(serviceUnavailable(new Error('the storage is closed')));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: work, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Lets those already queued finish; later ones are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await yieldToEventLoop();
      const group = this.#queue.splice(0, this.#options.maxGroupSize);
      await this.#runGroup(group);
    }
    this.#draining = undefined;
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
      // Those of a half that was committed before have been answered, and that stands.
      for (const job of group) job.reject(error);
    }
  }

  /** In one transaction, or where that cannot be in halves. Throws only what ends the whole group. */
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
      if (group.length === 1) return this.#tell(group, works);
      // In order, so that each still finds what those before it wrote. So n that are refused cost n log n runs, not n².
      const middle = group.length >> 1;
      for (const half of [group.slice(0, middle), group.slice(middle)]) {
        await yieldToEventLoop();
        await this.#commit(half);
      }
      return;
    }
    this.#statements.commit.run();
    this.counts.commits += 1;
    this.#tell(group, works);
  }

  /** Waits for another process without holding up the event loop. */
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
    if (!this.#connection.database.isTransaction) return;
    try {
      this.#statements.rollback.run();
    } catch {
      // SQLite has rolled back by itself already; what went wrong is told by the error that brought us here.
    }
  }
}
