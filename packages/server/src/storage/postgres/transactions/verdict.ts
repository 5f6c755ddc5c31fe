/** The result for the caller of a transaction. */
export type Verdict =
  | { kind: 'done'; value: unknown; effects: readonly (() => void)[] }
  | { kind: 'refused'; error: unknown };
