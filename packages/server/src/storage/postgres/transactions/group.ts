/**
 * Runs the works of a group interleaved, in one transaction on one connection. Whatever they ask for while the answers
 * to their last questions are on the way goes together, equal queries as one statement.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from '../../nouns.ts';
import type { PostgresConnection } from '../connections/connection.ts';
import { endsConnection } from '../postgres-error.ts';
import { askTogether, type FailedStatement } from '../statements/ask-together.ts';
import { type GroupAsking, GroupWork } from './group-work.ts';
import { commit } from './lone-transactions.ts';
import { CommitLostError, type Verdict } from './verdict.ts';

export interface Job {
  run(tx: Transaction): Promise<unknown>;
}

export type Outcome<J extends Job> =
  /** One verdict for each job, in their order; null: it has to run elsewhere. */
  | { kind: 'committed'; verdicts: readonly (Verdict | null)[] }
  /** Nothing of it stays. `suspects` may have been the reason; nobody when the connection was lost. */
  | { kind: 'undone'; suspects: ReadonlySet<J> }
  /** The connection went at the commit: it stays whole or not at all, and nobody knows which. */
  | { kind: 'unknown'; cause: unknown };

/** Told to a work whose run comes to nothing; it is run again. */
class GroupUndoneError extends Error {
  constructor() {
    super('the transaction has ended: what it shared it with was undone');
    this.name = 'GroupUndoneError';
  }
}

const ENDED = 'the transaction has ended; its methods can be used no more';

type Current = AsyncLocalStorage<{ readonly isOpen: boolean }>;

export async function runGroup<J extends Job>(
  connection: PostgresConnection,
  jobs: readonly J[],
  current: Current,
): Promise<Outcome<J>> {
  return new Group(connection, jobs, current).run();
}

class Group<J extends Job> {
  readonly #connection: PostgresConnection;
  readonly #jobs: readonly J[];
  readonly #current: Current;
  readonly #works = new Map<GroupWork, J>();
  readonly #undone = Promise.withResolvers<ReadonlySet<J>>();
  #asked: GroupAsking[] = [];
  #isWaiting = false;
  #isFlushing = false;
  #hasBegun = false;
  #hasEnded = false;
  /** The one work that may take rows for itself: to the others of its transaction they would not be locked. */
  #locking: GroupWork | undefined;

  constructor(connection: PostgresConnection, jobs: readonly J[], current: Current) {
    this.#connection = connection;
    this.#jobs = jobs;
    this.#current = current;
  }

  async run(): Promise<Outcome<J>> {
    // The server ends a transaction in which nothing is asked for long, whatever its works wait for.
    this.#connection.onLost = () => this.#undo(new Set());
    const ran = Promise.all(this.#jobs.map((job) => this.#runWork(job)));
    const ended = await Promise.race([ran, this.#undone.promise]);
    this.#connection.onLost = undefined;
    if (ended instanceof Set) return this.#rollBack(ended);
    const verdicts = ended as readonly (Verdict | null)[];
    this.#hasEnded = true;
    for (const work of this.#works.keys()) work.close(new Error(ENDED));
    // Where nobody asked anything there is nothing to commit.
    if (!this.#hasBegun) return { kind: 'committed', verdicts };
    try {
      await commit(this.#connection);
    } catch (error) {
      if (error instanceof CommitLostError) return { kind: 'unknown', cause: error.cause };
      return this.#rollBack(new Set(this.#jobs));
    }
    return { kind: 'committed', verdicts };
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const begun = this.#connection.send({ text: 'begin isolation level read committed' });
    begun.catch(() => this.#undo(new Set()));
  }

  /** A work that throws and has changed nothing is refused; one that has takes the group along. */
  async #runWork(job: J): Promise<Verdict | null> {
    const work = new GroupWork((asking) => this.#ask(asking));
    this.#works.set(work, job);
    const ran = this.#current.run(work, async () => job.run(work.transaction));
    try {
      const answer = await Promise.race([ran.then((value) => ({ value })), work.expelled.promise]);
      return answer && { kind: 'done', value: answer.value, effects: work.effects };
    } catch (error) {
      if (work.hasWritten || work.isWriting) this.#undo(new Set([job]));
      return { kind: 'refused', error };
    } finally {
      work.close(new Error(ENDED));
    }
  }

  #ask(asking: GroupAsking): void {
    if (asking.statement.locks) {
      this.#locking ??= asking.work;
      if (this.#locking !== asking.work) {
        this.#expel(asking.work);
        return;
      }
    }
    this.#asked.push(asking);
    this.#flushSoon();
  }

  #expel(work: GroupWork): void {
    const job = this.#works.get(work);
    if (job && (work.hasWritten || work.isWriting)) this.#undo(new Set([job]));
    work.expelled.resolve(null);
    work.close(new GroupUndoneError());
  }

  /** When everybody who was just answered has gone on as far as they can. */
  #flushSoon(): void {
    if (this.#isWaiting || this.#isFlushing || this.#hasEnded) return;
    this.#isWaiting = true;
    queueMicrotask(() => process.nextTick(() => this.#flush()));
  }

  async #flush(): Promise<void> {
    this.#isWaiting = false;
    if (this.#hasEnded || this.#asked.length === 0) return;
    const askings = this.#asked;
    this.#asked = [];
    this.#isFlushing = true;
    // In one packet with what is asked first.
    const failed = await this.#connection.together(() => {
      this.#begin();
      return askTogether(this.#connection, askings);
    });
    this.#isFlushing = false;
    if (failed.length > 0) this.#undo(this.#suspectsOf(failed));
    else if (this.#asked.length > 0) this.#flushSoon();
  }

  /** Those of the first statement that failed: the ones behind it failed because of it. */
  #suspectsOf(failed: readonly FailedStatement[]): ReadonlySet<J> {
    const first = failed.find(({ error }) => !isConsequence(error)) ?? failed[0];
    if (!first || endsConnection(first.error)) return new Set();
    const suspects = new Set<J>();
    for (const asking of first.askings) {
      const job = this.#works.get((asking as GroupAsking).work);
      if (job) suspects.add(job);
    }
    return suspects;
  }

  #undo(suspects: ReadonlySet<J>): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#undone.resolve(suspects);
    for (const work of this.#works.keys()) work.close(new GroupUndoneError());
  }

  async #rollBack(suspects: ReadonlySet<J>): Promise<Outcome<J>> {
    if (this.#hasBegun) await this.#connection.send({ text: 'rollback' }).catch(() => {});
    return { kind: 'undone', suspects };
  }
}

/** `current transaction is aborted`: of the statements behind the one that failed. */
function isConsequence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25P02';
}
