/**
 * Commits guarded works together. Each work runs without waiting, and its steps are recorded. Works recorded during the
 * previous groups are committed as one transaction. A work that cannot be recorded, or that a concurrent change
 * invalidated, runs in a transaction of its own.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from '../../nouns.ts';
import { isServiceUnavailable } from '../../refusals.ts';
import type { QueryRunner } from '../../sql/prepared-query.ts';
import type { Pool } from '../connections/pool.ts';
import { toGateError } from '../postgres-error.ts';
import { commitTogether } from './commit-together.ts';
import type { LoneTransactions } from './lone-transactions.ts';
import type { Verdict } from './verdict.ts';
import { WrittenWork } from './written-work.ts';

/** Groups in progress, each on a connection of its own. */
const MOST_GROUPS = 3;
const LARGEST_GROUP = 128;

interface Job {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly written: WrittenWork;
  readonly value: unknown;
  tell(verdict: Verdict | Promise<Verdict>): void;
}

export class GroupedTransactions {
  readonly counts = { commits: 0, failedGroups: 0, largestGroup: 0 };
  readonly #pool: Pool;
  readonly #reads: QueryRunner;
  readonly #lone: LoneTransactions;
  readonly #current: AsyncLocalStorage<{ readonly isOpen: boolean }>;
  #queue: Job[] = [];
  #running = 0;
  #isStarting = false;

  constructor(
    pool: Pool,
    reads: QueryRunner,
    lone: LoneTransactions,
    current: AsyncLocalStorage<{ readonly isOpen: boolean }>,
  ) {
    this.#pool = pool;
    this.#reads = reads;
    this.#lone = lone;
    this.#current = current;
  }

  /** Returns once the effect of the work is durable or undone. Never throws. */
  async run(work: (tx: Transaction) => Promise<unknown>): Promise<Verdict> {
    const written = new WrittenWork(this.#reads);
    let value: unknown;
    try {
      value = await this.#current.run(written, work, written.transaction);
    } catch (error) {
      if (isServiceUnavailable(error)) return { kind: 'refused', error };
      // Runs again alone, because the refusal may rest on an outdated read.
      written.isPartial = true;
    }
    written.isOpen = false;
    if (written.isPartial) return this.#runAlone(work);
    return new Promise((tell) => {
      this.#queue.push({ work, written, value, tell });
      this.#startSoon();
    });
  }

  #runAlone(work: Job['work']): Promise<Verdict> {
    return this.#lone.run(work, 'read committed');
  }

  /** Starts a group at the end of the turn, when all requests of the turn have been recorded. */
  #startSoon(): void {
    if (this.#isStarting || this.#running >= MOST_GROUPS) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      if (this.#queue.length === 0 || this.#running >= MOST_GROUPS) return;
      void this.#runNext(this.#queue.splice(0, LARGEST_GROUP));
      if (this.#queue.length > 0) this.#startSoon();
    });
  }

  async #runNext(jobs: readonly Job[]): Promise<void> {
    this.#running += 1;
    await this.#commit(jobs);
    this.#running -= 1;
    if (this.#queue.length > 0) this.#startSoon();
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    this.counts.largestGroup = Math.max(this.counts.largestGroup, jobs.length);
    const works = jobs.map(({ written }) => written);
    const outcome = await this.#pool
      .use((connection) => commitTogether(connection, works))
      .catch((error: unknown) => ({ kind: 'refused' as const, error: toGateError(error) }));
    this.counts[outcome.kind === 'committed' ? 'commits' : 'failedGroups'] += 1;
    if (outcome.kind === 'undone') return this.#again(jobs, outcome.overtaken);
    for (const { value, written, tell } of jobs) {
      tell(outcome.kind === 'committed' ? { kind: 'done', value, effects: written.effects } : outcome);
    }
  }

  /**
   * Runs the invalidated works alone, and the others as a group again. If it is unknown which were invalidated, the
   * group is split in half.
   */
  async #again(jobs: readonly Job[], overtaken: ReadonlySet<WrittenWork>): Promise<void> {
    const alone = jobs.length === 1 ? jobs : jobs.filter(({ written }) => overtaken.has(written));
    for (const { tell, work } of alone) tell(this.#runAlone(work));
    const others = jobs.filter((job) => !alone.includes(job));
    const middle = overtaken.size === 0 ? Math.ceil(others.length / 2) : others.length;
    for (const part of [others.slice(0, middle), others.slice(middle)]) {
      if (part.length > 0) await this.#commit(part);
    }
  }
}
