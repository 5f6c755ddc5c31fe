import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

export type { QueryKey };

const MOST_RETRIES = 2;

/** What was fetched, kept in memory. Refusals are final; a gate that is away is asked again twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < MOST_RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
    // A change is sent again only by whoever pressed the button.
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Reads anew what was fetched under a key that begins so. */
export function renew(queryKey: QueryKey): Promise<void> {
  return queryClient.invalidateQueries({ queryKey });
}
