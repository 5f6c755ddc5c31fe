import type { NotificationPreferences, OwnNotifications, QueuedTests } from '@permitry/protocol/schemas';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { reading } from '../../../api/reading.ts';
import { findPushState } from '../../../push/this-browser.ts';

export type Notifications = Static<typeof OwnNotifications>;
export type Preferences = Static<typeof NotificationPreferences>;
export type Device = Notifications['devices'][number];
export type Tests = Static<typeof QueuedTests>;

export const notificationsQuery = reading<Notifications>(
  ['account', 'notifications'],
  '/console/account/notifications',
);

/** Of the browser one sits at; asked again whenever something changes here. */
export const pushStateQuery = queryOptions({
  queryKey: ['account', 'notifications', 'this-browser'],
  queryFn: findPushState,
  networkMode: 'always',
});
