import type { GateError } from './errors.ts';
import { invalidFields } from './invalid-fields.ts';

export interface PageRequest {
  /** 1 to 200. Default: 50. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
}

export interface Page<T> {
  items: readonly T[];
  /** Null on the last page. */
  nextCursor: string | null;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_CURSOR_LENGTH = 200;

export function pageLimit(request: PageRequest): number {
  const limit = request.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalidFields({ path: '/limit', message: `Must be an integer from 1 to ${MAX_LIMIT}.` });
  return limit;
}

/**
 * The cursor of pages by id. Refuses a text that is not a cursor, because it would otherwise look like the end of the
 * list.
 */
export function idCursor({ cursor }: PageRequest, prefix: string): string | undefined {
  if (cursor !== undefined && (!cursor.startsWith(prefix) || cursor.length > MAX_CURSOR_LENGTH))
    throw notACursor();
  return cursor;
}

/** The cursor of pages by a number that counts from 1. */
export function numberCursor({ cursor }: PageRequest): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw notACursor();
  return Number(cursor);
}

function notACursor(): GateError<'invalid_fields'> {
  return invalidFields({ path: '/cursor', message: 'Must be the next_cursor of an earlier page.' });
}

/** One page of rows that a storage pages by id, newest first. The cursor is the last id seen. */
export async function pageByIds<T extends { id: string }>(
  request: PageRequest,
  prefix: string,
  list: (page: { beforeId?: string; limit: number }) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const limit = pageLimit(request);
  const cursor = idCursor(request, prefix);
  const rows = await list({ ...(cursor === undefined ? {} : { beforeId: cursor }), limit: limit + 1 });
  return cutPage(rows, limit, (row) => row.id);
}

/**
 * One page, newest first, of a small set that is read completely.
 *
 * @param positionOf A text that never changes for a member and ascends with its creation.
 */
export function pageOfSet<T>(
  request: PageRequest,
  set: readonly T[],
  positionOf: (item: T) => string,
): Page<T> {
  const limit = pageLimit(request);
  const { cursor } = request;
  const positioned = set.map((item) => ({ item, position: positionOf(item) }));
  positioned.sort((a, b) => (a.position < b.position ? 1 : -1));
  const rest = cursor === undefined ? positioned : positioned.filter(({ position }) => position < cursor);
  const page = cutPage(rest, limit, ({ position }) => position);
  return { items: page.items.map(({ item }) => item), nextCursor: page.nextCursor };
}

/** @param rows Includes one row more than `limit` if another page follows. */
export function cutPage<T>(rows: readonly T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
