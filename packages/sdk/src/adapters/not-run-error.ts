/**
 * A tool was not run, for a reason other than a denial. Its permit was refused, its call had changed, or the gate could
 * not be reached. A model may read the message unchanged. The `cause` is for the log.
 */
export class NotRunError extends Error {
  override readonly name: string = 'NotRunError';
  /** The action, or the tool if the call never got an action. */
  readonly action: string;

  constructor(action: string, why: string, options?: ErrorOptions) {
    super(`${action} was not run: ${why}`, options);
    this.action = action;
  }
}
