import type { PermitRefusal } from '@permitry/protocol';

/**
 * An offline check found that a permit does not authorise this action with these parameters now. Do not run it.
 *
 * @example if (error instanceof PermitRefusedError) log.warn({ reason: error.reason }, 'not authorised');
 */
export class PermitRefusedError extends Error {
  override readonly name: string = 'PermitRefusedError';
  /** One word of the closed list, e.g. `expired`, `params_mismatch`, `already_used`. */
  readonly reason: PermitRefusal;

  constructor(reason: PermitRefusal, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
