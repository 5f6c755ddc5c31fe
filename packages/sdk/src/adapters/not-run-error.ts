/**
 * A tool was not run, for another reason than a denial: its permit was refused, its call had changed, the gate was away.
 * The message may be shown to a model as it is; the `cause` is for the log.
 */
export class NotRunError extends Error {
  override readonly name: string = 'NotRunError';
  /** The action, or the tool where no action was made of it. */
  readonly action: string;

  constructor(action: string, why: string, options?: ErrorOptions) {
    super(`${action} was not run: ${why}`, options);
    this.action = action;
  }
}
