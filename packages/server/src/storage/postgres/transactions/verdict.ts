/** The answer to the caller of a transaction. */
export type Verdict =
  | { kind: 'done'; value: unknown; effects: readonly (() => void)[] }
  | { kind: 'refused'; error: unknown };

/** The connection went between asking for the commit and hearing of it. */
export class CommitLostError extends Error {
  constructor(cause: unknown) {
    super('it is not known whether the commit came to pass', { cause });
    this.name = 'CommitLostError';
  }
}
