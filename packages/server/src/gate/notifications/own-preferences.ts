import type { SessionCaller } from '../access/caller.ts';
import type { FieldProblem } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import type { PushSubscription } from './notification.ts';
import type { NotificationDeps } from './notification-deps.ts';
import { type Preferences, preferencesFrom } from './preferences.ts';
import { openPushIdentity } from './push-identity.ts';
import { isTimeZone } from './quiet-hours.ts';

export interface OwnNotifications {
  preferences: Preferences;
  devices: readonly PushSubscription[];
  /** The gate's public key, to which a browser binds its subscription. */
  pushKey: string;
}

export async function readOwnNotifications(
  gate: NotificationDeps,
  { user }: SessionCaller,
): Promise<OwnNotifications> {
  const { publicKey } = await openPushIdentity(gate);
  return {
    preferences: preferencesFrom(await gate.storage.read.findPreferences(user.id)),
    devices: await gate.storage.read.listPushSubscriptions(user.id),
    pushKey: publicKey,
  };
}

/** @throws GateError `invalid_fields` */
export async function saveOwnPreferences(
  gate: Pick<NotificationDeps, 'clock' | 'storage'>,
  { user, memberships }: SessionCaller,
  preferences: Preferences,
): Promise<Preferences> {
  const problems: FieldProblem[] = [];
  const { quietHours, mutedProjects, channels } = preferences;
  if (quietHours && !isTimeZone(quietHours.timeZone)) {
    problems.push({ path: '/quiet_hours/time_zone', message: 'Must be a time zone, e.g. Europe/Vienna.' });
  }
  if (quietHours && quietHours.from === quietHours.to) {
    problems.push({ path: '/quiet_hours/to', message: 'Must differ from the start.' });
  }
  for (const [index, id] of mutedProjects.entries()) {
    if (!memberships.some(({ projectId }) => projectId === id)) {
      problems.push({ path: `/muted_projects/${index}`, message: 'Must be one of your projects.' });
    }
  }
  if (!channels.security.mail) {
    problems.push({
      path: '/channels/security/mail',
      message: 'Must be on, because notices about your account are always sent by email.',
    });
  }
  if (problems.length > 0) throw invalidFields(...problems);
  await gate.storage.transaction((tx) => tx.savePreferences(user.id, preferences, gate.clock.now()));
  return preferences;
}
