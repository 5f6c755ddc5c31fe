/** A person's own account: how they sign in, and from where. */
import type { AccountSchema, SessionList } from '@permitry/protocol/schemas';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './client.ts';

export type Account = Static<typeof AccountSchema>;
export type Passkey = Account['passkeys'][number];
export type DeviceKey = Account['device_keys'][number];
export type OwnSession = Static<typeof SessionList>['data'][number];

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => api.get<Account>('/console/account', { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: ({ signal }) => api.get<Static<typeof SessionList>>('/console/account/sessions', { signal }),
});

/** Reads everything of the account anew. */
export function useAccountRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: accountQuery.queryKey });
}
