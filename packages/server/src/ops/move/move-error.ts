/** Why a gate was not moved: a sentence for the operator, that says what to do. */
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
  /** The database holds something already, or a gate serves it. */
  | 'occupied'
  /** The gate was moved, or is being moved, elsewhere. */
  | 'moved'
  /** What arrived is not what was sent. */
  | 'damaged';
