import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

export type { QueryKey };

const MOST_RETRIES = 2;

/** The cache of fetched data, in memory. A refusal is final; an unreachable gate is retried twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < MOST_RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
    // Only the person who pressed the button sends a change again.
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Refetches everything whose key starts with this one. */
export function renew(queryKey: QueryKey): Promise<void> {
  return queryClient.invalidateQueries({ queryKey });
}
