/** Queries to the gate. Each is cached under a key, and `renew` refetches it by that key. */
import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import { api, type CallOptions } from './client.ts';

export interface PageOf<T> {
  data: T[];
  next_cursor: string | null;
}

export function reading<T>(queryKey: QueryKey, path: string, query: CallOptions['query'] = {}) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => api.get<T>(path, { query, signal }) });
}

/** Reads further pages on demand. */
export function readingPages<Page extends { next_cursor: string | null }>(
  queryKey: QueryKey,
  path: string,
  query: CallOptions['query'] = {},
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      api.get<Page>(path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}
