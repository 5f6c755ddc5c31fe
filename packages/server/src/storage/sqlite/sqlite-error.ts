import { existsAlready, serviceUnavailable } from '../refusals.ts';

/**
 * Primary result codes (sqlite.org/rescode.html) which say that the database is unavailable, not that our query was
 * wrong.
 */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  5, // busy
  6, // locked
  7, // no memory
  8, // read-only: the disk was remounted, or the directory is not ours
  10, // disk I/O error
  11, // corrupt
  13, // full
  14, // cannot open
  15, // locking protocol
  26, // not a database
]);

const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;

/** The extended result code of an error that SQLite raised. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && (code & 0xff) === 5;
}

/** The error for the gate: unavailable, a conflict with existing data (`conflict`), or the error itself. */
export function toGateError(error: unknown): unknown {
  const code = resultCode(error);
  if (code === undefined) return error;
  if (UNAVAILABLE.has(code & 0xff)) return serviceUnavailable(error);
  if (code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARYKEY) {
    return existsAlready(error);
  }
  return error;
}
