/** A person's own account: how they sign in, and from where. */
import type { AccountSchema, SessionList } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { renew } from './query-client.ts';
import { reading } from './reading.ts';

export type Account = Static<typeof AccountSchema>;
export type Passkey = Account['passkeys'][number];
export type DeviceKey = Account['device_keys'][number];
export type OwnSession = Static<typeof SessionList>['data'][number];

export const accountQuery = reading<Account>(['account'], '/console/account');

export const sessionsQuery = reading<Static<typeof SessionList>>(
  ['account', 'sessions'],
  '/console/account/sessions',
);

/** Reads everything of the account anew. */
export function refreshAccount(): Promise<void> {
  return renew(accountQuery.queryKey);
}
