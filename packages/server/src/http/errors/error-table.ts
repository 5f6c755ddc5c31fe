import type { GateErrorCode } from '../../gate/kernel/errors.ts';

/** One surface's code and HTTP status for every refusal of an operation. The compiler reports a missing one. */
export type ErrorTable = Readonly<Record<GateErrorCode, { readonly code: string; readonly status: number }>>;

/** Both surfaces' tables. Paths under `/api` use A; every other path uses B, even unknown ones. */
export interface ErrorTables {
  readonly a: ErrorTable;
  readonly b: ErrorTable;
}

/** @param url Path with or without a query. */
export function errorTableFor(tables: ErrorTables, url: string): ErrorTable {
  return /^\/api(?:[/?#]|$)/.test(url) ? tables.a : tables.b;
}
