/**
 * Makes groups of the guarded works that wait: as many as have come while the groups before them were under way. A
 * work that comes alone is begun at the end of the turn it came in.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from '../../nouns.ts';
import type { Pool } from '../connections/pool.ts';
import { toGateError, unknownOutcome } from '../postgres-error.ts';
import { runGroup } from './group.ts';
import type { LoneTransactions } from './lone-transactions.ts';
import type { Verdict } from './verdict.ts';

export interface GroupOptions {
  /** Groups at work at once, each on a connection of its own. */
  maxGroups: number;
  maxGroupSize: number;
}

interface Job {
  run(tx: Transaction): Promise<unknown>;
  tell(verdict: Verdict): void;
  /** How often a group was undone under it. */
  undone: number;
}

/** So many are looked at one by one, to find who of them breaks their group. */
const FEW = 4;
const MOST_UNDONE = 3;
/** Fewer are not parted. */
const WORTH_A_GROUP = 16;

export class GroupedTransactions {
  readonly counts = { commits: 0, failedGroups: 0, largestGroup: 0 };
  readonly #pool: Pool;
  readonly #lone: LoneTransactions;
  readonly #current: AsyncLocalStorage<{ readonly isOpen: boolean }>;
  readonly #options: GroupOptions;
  #queue: Job[] = [];
  #running = 0;
  #isStarting = false;

  constructor(
    pool: Pool,
    lone: LoneTransactions,
    current: AsyncLocalStorage<{ readonly isOpen: boolean }>,
    options: GroupOptions,
  ) {
    this.#pool = pool;
    this.#lone = lone;
    this.#current = current;
    this.#options = options;
  }

  /** Answers once what the work did is durable, or undone. Throws nothing. */
  run(work: (tx: Transaction) => Promise<unknown>): Promise<Verdict> {
    return new Promise((tell) => {
      this.#queue.push({ run: work, tell, undone: 0 });
      this.#startSoon();
    });
  }

  #startSoon(): void {
    if (this.#isStarting || this.#running >= this.#options.maxGroups) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      if (this.#queue.length === 0 || this.#running >= this.#options.maxGroups) return;
      void this.#runNext(this.#queue.splice(0, this.#sizeOfNext()));
      if (this.#queue.length > 0) this.#startSoon();
    });
  }

  /** Of many that come at once half go first: so some are at work from then on while others wait for their commit. */
  #sizeOfNext(): number {
    const { maxGroupSize } = this.#options;
    if (this.#running > 0) return maxGroupSize;
    return Math.min(Math.max(Math.ceil(this.#queue.length / 2), WORTH_A_GROUP), maxGroupSize);
  }

  async #runNext(jobs: readonly Job[]): Promise<void> {
    this.#running += 1;
    try {
      await this.#runGroup(jobs);
    } finally {
      this.#running -= 1;
      if (this.#queue.length > 0) this.#startSoon();
    }
  }

  async #runGroup(jobs: readonly Job[]): Promise<void> {
    this.counts.largestGroup = Math.max(this.counts.largestGroup, jobs.length);
    let connection: Awaited<ReturnType<Pool['take']>>;
    try {
      connection = await this.#pool.take();
    } catch (error) {
      this.counts.failedGroups += 1;
      for (const job of jobs) job.tell({ kind: 'refused', error: toGateError(error) });
      return;
    }
    const outcome = await runGroup(connection, jobs, this.#current).finally(() =>
      this.#pool.give(connection),
    );
    if (outcome.kind === 'committed') {
      this.counts.commits += 1;
      for (const [index, job] of jobs.entries()) {
        const verdict = outcome.verdicts[index];
        if (verdict) job.tell(verdict);
        else this.#runAlone(job);
      }
      return;
    }
    this.counts.failedGroups += 1;
    if (outcome.kind === 'unknown') {
      for (const job of jobs) job.tell({ kind: 'refused', error: unknownOutcome(outcome.cause) });
    } else {
      this.#again(jobs, outcome.suspects);
    }
  }

  /** The others as a group once more; those who may have undone it one by one, or in smaller groups while they are many. */
  #again(jobs: readonly Job[], suspects: ReadonlySet<Job>): void {
    for (const job of jobs) job.undone += 1;
    const others = jobs.filter((job) => !suspects.has(job));
    const tired = others.filter((job) => job.undone >= MOST_UNDONE);
    const fresh = others.filter((job) => job.undone < MOST_UNDONE);
    if (fresh.length > 0) void this.#runNext(fresh);
    for (const part of split([...suspects])) {
      if (part.length > 1) void this.#runNext(part);
      else tired.push(...part);
    }
    for (const job of tired) this.#runAlone(job);
  }

  #runAlone(job: Job): void {
    void this.#lone.run(job.run, 'read committed').then(job.tell);
  }
}

/** Each alone where they are few; else quarters. */
function split<T>(list: readonly T[]): T[][] {
  if (list.length <= FEW) return list.map((one) => [one]);
  const size = Math.ceil(list.length / FEW);
  return Array.from({ length: FEW }, (_, part) => list.slice(part * size, (part + 1) * size)).filter(
    (part) => part.length > 0,
  );
}
