import Type from 'typebox';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import type { Page, PageRequest } from '../../gate/kernel/page.ts';

/** Members of the query string of a paged list. */
export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Items on a page.' }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'next_cursor of the page before.' }),
  ),
};

/** The paging members of a query, as operations take them. */
export function toPageRequest(query: { limit?: number; cursor?: string }): PageRequest {
  return onlyGiven({ limit: query.limit, cursor: query.cursor });
}

/** A page in surface B's form. */
export function toWirePage<T, W>(
  page: Page<T>,
  toWire: (item: T) => W,
): { data: W[]; next_cursor: string | null } {
  return { data: page.items.map(toWire), next_cursor: page.nextCursor };
}
