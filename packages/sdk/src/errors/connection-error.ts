/**
 * What failed in transit. `unreachable`: no connection. `timeout`: no complete answer in time. `interrupted`: the
 * connection broke. `broken_answer`: the answer is not a gate's, or incomplete. `redirected`: the server redirects. The
 * client does not follow a redirect, because it would send the key along.
 */
export type ConnectionProblem = 'unreachable' | 'timeout' | 'interrupted' | 'broken_answer' | 'redirected';

/**
 * No answer, or an incomplete one. `isSent` says whether the gate may have carried out the request. Retry it with the
 * same `idempotencyKey`: it is still carried out only once.
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
  /** Whether the request may have been carried out. False only if it is certain that it was not. */
  readonly isSent: boolean;
  /** With this key you can safely retry the same call. Null for a call without one. */
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
