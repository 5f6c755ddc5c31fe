/** The storage port. Each noun declares its own methods. */
export interface TransactionOptions {
  /**
   * Declares that a guard in each statement protects everything the work relies on: a guarded update, a unique key, or
   * the project's revision by `isAtRevision`. The storage may then commit the work together with other such work.
   * Default: the work runs as if alone.
   */
  guarded?: boolean;
}

export interface ForgetOptions {
  rewrite?: boolean;
  /** Called before each table is rewritten, if the storage rewrites table by table. */
  onTable?: (table: string) => void;
}

/** What every transaction offers in addition to its reads and writes. */
export interface AfterCommit {
  /** Runs the check right before the commit. If the check throws, the transaction is undone. */
  beforeCommit(check: () => void): void;
  /** Runs the effect once the change is durable, and never when the change was undone. The effect must not throw. */
  afterCommit(effect: () => void): void;
}

/**
 * The storage as one operation sees it. The operation names the nouns that it reads (`Reads`) and writes (`Writes`).
 *
 * @example Storage<AgentReader, AgentWriter & AuditWriter>
 */
export interface Storage<Reads, Writes = unknown> {
  /** Sees only committed and durable data. */
  readonly read: Reads;
  /**
   * Runs `work` alone: its changes happen together or not at all. Resolves only after its commit is durable. Rejects
   * with the error of `work`, whose changes are then undone. `work` may only await the transaction's own methods. It
   * may run more than once before the storage keeps one run, so its only effects are through `tx` and `tx.afterCommit`.
   * A statement that the database refused undoes the transaction, even if `work` ignores the error. A storage that
   * cannot write rejects with `service_unavailable`.
   */
  transaction<T>(
    work: (tx: Reads & Writes & AfterCommit) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * Removes from the storage's files everything that was overwritten or deleted before the call. Resolves to false when
   * the files may still contain it, because they are not rewritten while requests wait. With `rewrite` they are,
   * however long requests must wait.
   *
   * @throws GateError `service_unavailable` when it cannot be done at the moment; with `rewrite` also `conflict`, which
   * says what to do first
   */
  forget(options?: ForgetOptions): Promise<boolean>;
}
