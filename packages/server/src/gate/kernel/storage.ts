/** The storage port. Each noun declares its own methods. */
export interface TransactionOptions {
  /**
   * Says of the work that all it rests on is held by a guard of its own statements: a guarded update, a unique key, or
   * the project's revision by `isAtRevision`. It may then be committed together with others that say the same. Left out: it runs
   * as if alone.
   */
  guarded?: boolean;
}

export interface ForgetOptions {
  rewrite?: boolean;
  /** Told of each table before it is rewritten, where that is done table by table. */
  onTable?: (table: string) => void;
}

/** What every transaction offers beside its reads and writes. */
export interface AfterCommit {
  /** Runs the check right before the commit; what it throws undoes the transaction. */
  beforeCommit(check: () => void): void;
  /** Runs the effect once the change is durable; never when it was undone. It must not throw. */
  afterCommit(effect: () => void): void;
}

/**
 * The storage as one operation sees it: it names the nouns it reads (`Reads`) and those it writes (`Writes`).
 *
 * @example Storage<AgentReader, AgentWriter & AuditWriter>
 */
export interface Storage<Reads, Writes = unknown> {
  /** Sees only what is committed and durable. */
  readonly read: Reads;
  /**
   * Runs `work` alone: its changes together or not at all. Resolves, or rejects with what `work` threw (its changes
   * undone), only after the commit it was part of is durable. Work may await nothing but the transaction's own
   * methods, and may be run more than once before one run of it is kept: it has no effect but through `tx` and
   * `tx.afterCommit`. What the database refused undoes it, also where the work passes over that. A storage that cannot write rejects with `service_unavailable`.
   */
  transaction<T>(
    work: (tx: Reads & Writes & AfterCommit) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * Has what was overwritten or deleted before the call leave the storage's files. Resolves to false where it may stand
   * there still, because the files are not rewritten while requests wait; with `rewrite` they are, however long
   * everybody else waits.
   *
   * @throws GateError `service_unavailable` when it could not be done just now; with `rewrite` also `conflict`, which
   * says what has to be done first
   */
  forget(options?: ForgetOptions): Promise<boolean>;
}
