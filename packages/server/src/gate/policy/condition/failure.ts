/**
 * Why a condition has no result. Thrown, and caught where a rule is evaluated. Not an Error, because one request may
 * cause a hundred failures, and their stacks would cost more than the evaluation.
 */
export class ConditionFailure {
  readonly message: string;
  /** True: a limit was exceeded, and nothing may continue. `||` and `&&` may ignore any other failure. */
  readonly final: boolean;

  constructor(message: string, final = false) {
    this.message = message;
    this.final = final;
  }
}
