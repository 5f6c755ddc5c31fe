/** Why a gate was not moved. The message tells the operator what to do. */
export class MoveError extends Error {
  readonly reason: MoveRefusal;

  constructor(reason: MoveRefusal, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'MoveError';
    this.reason = reason;
  }
}

export type MoveRefusal =
  /** There is no gate in the directory. */
  | 'no_gate'
  /** The database is not empty, or a gate serves it. */
  | 'occupied'
  /** The gate was moved, or is being moved, to another place. */
  | 'moved'
  /** The data that arrived differs from the data that was sent. */
  | 'damaged';
