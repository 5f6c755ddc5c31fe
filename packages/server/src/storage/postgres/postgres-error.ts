import { GateError } from '../../gate/kernel/errors.ts';
import { existsAlready, serviceUnavailable } from '../refusals.ts';

/**
 * The connection is gone, or counts as gone. Nothing more can be sent on it, and the fate of its last statement is
 * unknown.
 */
export class ConnectionLostError extends Error {
  constructor(cause: unknown) {
    super('the connection to the database was lost', { cause });
    this.name = 'ConnectionLostError';
  }
}

/**
 * Classes and codes (postgresql.org/docs/current/errcodes-appendix.html) which say that the database is unavailable,
 * not that our query was wrong.
 */
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set([
  '08', // connection
  '53', // no disk space, no memory, too many connections
  '58', // an error outside PostgreSQL, such as I/O
  'XX', // a damaged page, an internal error
]);
const UNAVAILABLE: ReadonlySet<string> = new Set([
  '25006', // read-only: a standby, or a former primary
  '25P03', // idle in a transaction for too long
  '28000', // login refused; a retry will probably fail too, but it is not the caller's fault
  '28P01',
  '3D000', // no such database
  '55P03', // a lock was not granted in time
  '57014', // took too long
  '57P01', // shut down
  '57P02', // crashed
  '57P03', // starting
  '57P04', // the database was dropped
  '57P05', // idle for too long
]);

const UNIQUE_VIOLATION = '23505';
const RETRYABLE: ReadonlySet<string> = new Set([
  '40001', // could not be serialised
  '40P01', // deadlock
]);
/** After these errors the connection must not be used again: its server does not take writes, or soon will not. */
const ENDS_CONNECTION = /^(08|25006|25P03|57P0)/;

/** The five characters of an error that the server raised. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Another transaction came first. A retry will probably succeed. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && RETRYABLE.has(state);
}

/** The database is unavailable. An immediate retry will not help. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && (UNAVAILABLE.has(state) || UNAVAILABLE_CLASSES.has(state.slice(0, 2)));
}

export function endsConnection(error: unknown): boolean {
  return error instanceof ConnectionLostError || ENDS_CONNECTION.test(sqlState(error) ?? '');
}

/** The connection broke during the commit: the database has the whole change, or nothing of it. */
export function unknownOutcome(cause: unknown): GateError<'service_unavailable'> {
  return new GateError(
    'service_unavailable',
    'The gate lost its database while it made the change durable: whether it was made is not known. ' +
      'Read before you try again, or repeat the request under the same Idempotency-Key.',
    { retry_after_seconds: 1 },
    { cause },
  );
}

/** The error for the gate: unavailable, a conflict with existing data (`conflict`), or the error itself. */
export function toGateError(error: unknown): unknown {
  if (error instanceof ConnectionLostError) return serviceUnavailable(error);
  // Includes a transaction that conflicted with others at every retry.
  if (isRetryable(error) || isUnavailable(error)) return serviceUnavailable(error);
  return sqlState(error) === UNIQUE_VIOLATION ? existsAlready(error) : error;
}
