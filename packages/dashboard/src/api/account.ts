/** A person's own account: how they sign in, and from where. */
import { renew } from './query-client.ts';
import { reading } from './reading.ts';
import type { Wire } from './wire.ts';

export type Account = Wire<'AccountSchema'>;
export type Passkey = Account['passkeys'][number];
export type DeviceKey = Account['device_keys'][number];
export type OwnSession = Wire<'SessionList'>['data'][number];

export const accountQuery = reading<Account>(['account'], '/console/account');

export const sessionsQuery = reading<Wire<'SessionList'>>(
  ['account', 'sessions'],
  '/console/account/sessions',
);

/** Refetches everything that belongs to the account. */
export function refreshAccount(): Promise<void> {
  return renew(accountQuery.queryKey);
}
