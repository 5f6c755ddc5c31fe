import {
  EmptyBody,
  NewPushDevice,
  NotificationPreferences,
  OwnNotifications,
  PushDevice,
  QueuedTests,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { PushSubscription } from '../../gate/notifications/notification.ts';
import { testOwnChannels } from '../../gate/notifications/own-channels.ts';
import { readOwnNotifications, saveOwnPreferences } from '../../gate/notifications/own-preferences.ts';
import type { Preferences } from '../../gate/notifications/preferences.ts';
import { addPushDevice, removePushDevice } from '../../gate/notifications/push-devices.ts';
import { ItemPath, NoContent } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

/** Notification preferences and devices of the person who is signed in. */
export function notificationRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.get('/account/notifications', { schema: { response: { 200: OwnNotifications } } }, async (request) => {
    const { preferences, devices, pushKey } = await readOwnNotifications(gate, getPerson(request));
    return {
      preferences: toWirePreferences(preferences),
      mail_configured: gate.reach.mail,
      push_key: pushKey,
      devices: devices.map(toWireDevice),
    };
  });

  app.put(
    '/account/notifications',
    { schema: { body: NotificationPreferences, response: { 200: NotificationPreferences } } },
    async (request) => {
      const wanted = fromWirePreferences(request.body);
      return toWirePreferences(await saveOwnPreferences(gate, getPerson(request), wanted));
    },
  );

  app.post(
    '/account/notifications/test',
    { schema: { body: EmptyBody, response: { 202: QueuedTests } } },
    (request) => testOwnChannels(gate, getPerson(request)),
  );

  app.post(
    '/account/push-subscriptions',
    { schema: { body: NewPushDevice, response: { 201: PushDevice } } },
    async (request) => {
      const { label, endpoint, keys } = request.body;
      return toWireDevice(await addPushDevice(gate, getPerson(request), { label, endpoint, ...keys }));
    },
  );

  app.delete(
    '/account/push-subscriptions/:id',
    { schema: { params: ItemPath, response: { 204: NoContent } } },
    (request) => removePushDevice(gate, getPerson(request), request.params.id),
  );
}

function toWirePreferences(preferences: Preferences): Static<typeof NotificationPreferences> {
  const { channels, quietHours, mutedProjects, minimumRiskTier } = preferences;
  return {
    channels,
    quiet_hours: quietHours && {
      from: quietHours.from,
      to: quietHours.to,
      time_zone: quietHours.timeZone,
    },
    muted_projects: [...mutedProjects],
    minimum_risk_tier: minimumRiskTier,
  };
}

function fromWirePreferences(wire: Static<typeof NotificationPreferences>): Preferences {
  const { channels, quiet_hours: quiet, muted_projects, minimum_risk_tier } = wire;
  return {
    channels,
    quietHours: quiet && { from: quiet.from, to: quiet.to, timeZone: quiet.time_zone },
    mutedProjects: muted_projects,
    minimumRiskTier: minimum_risk_tier,
  };
}

/** Never contains the endpoint or keys: anyone who has them can send to the device. */
function toWireDevice(device: PushSubscription): Static<typeof PushDevice> {
  return {
    id: device.id,
    label: device.label,
    host: device.host,
    endpoint_hash: device.endpointHash,
    created_at: device.createdAt,
    last_sent_at: device.lastSentAt,
  };
}
