import type { Transaction } from '../nouns.ts';
import { findRevision } from '../queries/projects.ts';
import { SqlStore, type Store } from '../queries/stores.ts';
import { isServiceUnavailable, serviceUnavailable } from '../refusals.ts';
import type { PreparedQuery, QueryRunner } from '../sql/prepared-query.ts';
import type { SqliteConnection } from './connection.ts';

/** All methods of a store except `isAtRevision`, which a transaction on SQLite implements itself. */
const BaseStore: new (run: QueryRunner) => Omit<Store, 'isAtRevision'> = SqlStore;

class WorkTransaction extends BaseStore implements Transaction {
  readonly effects: (() => void)[] = [];
  readonly #work: Work;

  constructor(work: Work) {
    super(work);
    this.#work = work;
  }

  async isAtRevision(projectId: string, revision: number): Promise<boolean> {
    return this.#work.revisionOf(projectId) === revision;
  }

  beforeCommit(check: () => void): void {
    // Checks immediately: works run one after another, and this one awaits nothing from here on.
    check();
  }

  afterCommit(effect: () => void): void {
    this.effects.push(effect);
  }
}

/** One run of a work inside its group's transaction. Runs its statements, and refuses any after it has ended. */
export class Work implements QueryRunner {
  readonly transaction = new WorkTransaction(this);
  isOpen = true;
  /** Whether the work has changed anything that a refusal must undo. */
  hasChanged = false;
  isRefused = false;
  /** Its result, or why it is refused. */
  answer: unknown;
  readonly #connection: SqliteConnection;
  #failure: unknown;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Called after the commit. */
  get effects(): readonly (() => void)[] {
    return this.transaction.effects;
  }

  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) return Promise.reject(obstacle);
    try {
      return Promise.resolve(this.#connection.allNow(query, params));
    } catch (error) {
      return this.#refusedBy(error);
    }
  }

  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) return Promise.reject(obstacle);
    try {
      return Promise.resolve(this.#connection.firstNow(query, params));
    } catch (error) {
      return this.#refusedBy(error);
    }
  }

  change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) return Promise.reject(obstacle);
    try {
      const changed = this.#connection.changeNow(query, params);
      if (changed > 0) this.hasChanged = true;
      return Promise.resolve(changed);
    } catch (error) {
      return this.#refusedBy(error);
    }
  }

  /** Reads the revision once per group and project, and again after a statement that may have raised it. */
  revisionOf(projectId: string): number | undefined {
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) throw obstacle;
    const { revisions } = this.#connection;
    const known = revisions.get(projectId);
    if (known !== undefined) return known;
    try {
      const revision = this.#connection.firstNow(findRevision, { id: projectId })?.revision;
      if (revision !== undefined) revisions.set(projectId, revision);
      return revision;
    } catch (error) {
      this.#noteRefusal(error);
      throw error;
    }
  }

  resolved(value: unknown): void {
    // A statement that the database refused must not be committed, even if the work ignores the error.
    if (!this.isRefused) this.answer = value;
  }

  refused(error: unknown): void {
    this.isRefused = true;
    this.answer = error;
  }

  /**
   * @throws GateError `service_unavailable` when the database failed during the work, even if the work itself ignored
   * it. Then nothing of the group may remain.
   */
  end(): void {
    this.isOpen = false;
    if (this.#failure !== undefined) throw this.#failure;
    // A full disk or an I/O error can roll back everything at once, without notice.
    if (!this.#connection.database.isTransaction)
      throw serviceUnavailable(new Error('the group was rolled back'));
  }

  /** Also set after a failure: once SQLite has rolled back, each further statement would be committed separately. */
  #obstacle(): unknown {
    if (this.isOpen) return this.#failure;
    return new Error('the transaction has ended; its methods can no longer be used');
  }

  #refusedBy(error: unknown): Promise<never> {
    this.#noteRefusal(error);
    return Promise.reject(error);
  }

  #noteRefusal(error: unknown): void {
    if (!this.isRefused) this.refused(error);
    if (isServiceUnavailable(error)) this.#failure = error;
  }
}
