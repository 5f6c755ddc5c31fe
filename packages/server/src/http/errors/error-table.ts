import type { GateErrorCode } from '../../gate/kernel/errors.ts';

/** One surface's name and HTTP status for every refusal an operation knows; the compiler refuses a missing one. */
export type ErrorTable = Readonly<Record<GateErrorCode, { readonly code: string; readonly status: number }>>;

/** Both surfaces' tables. Paths under `/api` speak A; every other path, unknown ones too, speaks B. */
export interface ErrorTables {
  readonly a: ErrorTable;
  readonly b: ErrorTable;
}

/**
 * @param url Path with or without a query.
 */
export function errorTableFor(tables: ErrorTables, url: string): ErrorTable {
  return /^\/api(?:[/?#]|$)/.test(url) ? tables.a : tables.b;
}
