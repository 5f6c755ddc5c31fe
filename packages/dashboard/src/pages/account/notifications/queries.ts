import { queryOptions } from '@tanstack/react-query';
import { reading } from '../../../api/reading.ts';
import type { Wire } from '../../../api/wire.ts';
import { findPushState } from '../../../push/this-browser.ts';

export type Notifications = Wire<'OwnNotifications'>;
export type Preferences = Wire<'NotificationPreferences'>;
export type Device = Notifications['devices'][number];
export type Tests = Wire<'QueuedTests'>;

export const notificationsQuery = reading<Notifications>(
  ['account', 'notifications'],
  '/console/account/notifications',
);

/** The push state of this browser. Refetched after every change here. */
export const pushStateQuery = queryOptions({
  queryKey: ['account', 'notifications', 'this-browser'],
  queryFn: findPushState,
  networkMode: 'always',
});
