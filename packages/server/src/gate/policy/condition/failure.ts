/**
 * Why a condition has no answer. Thrown, and caught where a rule is asked; not an Error, because a policy may meet a
 * hundred of them in one request and their stacks would cost more than the evaluation.
 */
export class ConditionFailure {
  readonly message: string;
  /** Over a limit: `||` and `&&` may absorb every other failure, but nothing may go on spending after this one. */
  readonly final: boolean;

  constructor(message: string, final = false) {
    this.message = message;
    this.final = final;
  }
}
