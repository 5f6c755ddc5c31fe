/**
 * What went wrong on the way. `unreachable`: no connection; `timeout`: no whole answer in time; `interrupted`: the
 * connection broke; `broken_answer`: what came is not a gate's answer, or not all of it; `redirected`: sent elsewhere, and
 * not followed, since the key would go along.
 */
export type ConnectionProblem = 'unreachable' | 'timeout' | 'interrupted' | 'broken_answer' | 'redirected';

/**
 * No answer, or no whole one. `isSent` says whether the request may have been carried out; then repeat it with the same
 * `idempotencyKey`, and it is carried out once all the same.
 *
 * @example
 * try {
 *   intent = await permitry.intents.create(input);
 * } catch (error) {
 *   if (!(error instanceof ConnectionError) || error.idempotencyKey === null) throw error;
 *   intent = await permitry.intents.create(input, { idempotencyKey: error.idempotencyKey });
 * }
 */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
  readonly problem: ConnectionProblem;
  /** Whether the request may have been carried out. False only when it certainly was not. */
  readonly isSent: boolean;
  /** Under this key the same call may be repeated safely; null for a call without one. */
  readonly idempotencyKey: string | null;

  constructor(
    message: string,
    parts: { problem: ConnectionProblem; isSent: boolean; idempotencyKey?: string | null | undefined },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.problem = parts.problem;
    this.isSent = parts.isSent;
    this.idempotencyKey = parts.idempotencyKey ?? null;
  }
}
