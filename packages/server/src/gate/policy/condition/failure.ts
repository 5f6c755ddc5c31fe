/**
 * Why a condition has no result. It is thrown, and caught where a rule is evaluated. Not an Error: one request may meet
 * a hundred of them, and their stacks would cost more than the evaluation.
 */
export class ConditionFailure {
  readonly message: string;
  /** A limit was exceeded. `||` and `&&` may ignore every other failure, but after this one nothing may continue. */
  readonly final: boolean;

  constructor(message: string, final = false) {
    this.message = message;
    this.final = final;
  }
}
