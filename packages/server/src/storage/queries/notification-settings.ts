/** Owns what people and projects are notified about, and where: preferences, devices, chat hooks. */
import type { NotificationReader, NotificationWriter } from '../../gate/notifications/notification.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { findIn, listIn } from '../sql/read-statements.ts';
import {
  chatHooks,
  deliveries,
  notificationPreferences,
  pushIdentity,
  pushSubscriptions,
  unlistedNotifications,
} from '../sql/tables.ts';
import { change, deleteFrom, insertInto, insertOnce, save, updateOf } from '../sql/write-statements.ts';

const findPreferences = findIn(notificationPreferences, 'userId');
const savePreferences = save(notificationPreferences, { by: ['userId'], set: ['document', 'updatedAt'] });
const deletePreferences = deleteFrom(notificationPreferences, 'userId');

const listSubscriptions = listIn(pushSubscriptions, { where: ['userId'], orderBy: 'seq' });
const findSubscription = findIn(pushSubscriptions, 'id');
const findAnySubscription = prepare((db, _: object) =>
  db.selectFrom('push_subscriptions').select('seq').where('seq', '>', 0).orderBy('seq').limit(1),
);

const insertSubscription = insertInto(pushSubscriptions);
const touchSubscription = updateOf(pushSubscriptions, { set: ['lastSentAt'], where: ['id'] });
const deleteByEndpoint = deleteFrom(pushSubscriptions, 'endpointHash');
const deleteSubscription = deleteFrom(pushSubscriptions, 'id');
const deleteSubscriptionsOf = deleteFrom(pushSubscriptions, 'userId');

const deleteFor = deleteFrom(deliveries, 'state', 'channel', 'target');
const deleteUnlistedFor = deleteFrom(unlistedNotifications, 'channel', 'target');
const deleteNotificationsOf = deleteFrom(deliveries, 'userId');
const deleteUnlistedPush = change((db, $: { userId: string }) =>
  db
    .deleteFrom('unlisted_notifications')
    .where('channel', '=', 'push')
    .where('target', 'in', (eb) =>
      eb.selectFrom('push_subscriptions').select('id').where('user_id', '=', $.userId),
    ),
);

const findHook = findIn(chatHooks, 'projectId');
const insertHook = insertInto(chatHooks);
const noteHookSent = updateOf(chatHooks, { set: ['lastSentAt', 'lastError'], where: ['projectId'] });
const noteHookError = updateOf(chatHooks, { set: ['lastError'], where: ['projectId'] });
const deleteHook = deleteFrom(chatHooks, 'projectId');

const findIdentity = findIn(pushIdentity, 'one');

const findMembership = prepare((db, $: { userId: string }) =>
  db.selectFrom('members').select('role').where('user_id', '=', $.userId).limit(1),
);

export const notificationSettingQueries = {
  findPreferences: async (run, userId) => (await findPreferences(run, { userId }))?.document,

  listPushSubscriptions: (run, userId) => listSubscriptions(run, { userId }),

  findPushSubscription: (run, id) => findSubscription(run, { id }),

  hasPushSubscriptions: async (run) => (await run.first(findAnySubscription, {})) !== undefined,

  findChatHook: (run, projectId) => findHook(run, { projectId }),

  findPushIdentity: (run) => findIdentity(run, { one: 1 }),

  savePreferences: (run, userId, preferences, at) =>
    savePreferences(run, { userId, document: preferences, updatedAt: at }),

  async savePushSubscription(run, subscription) {
    await deleteByEndpoint(run, subscription);
    await insertSubscription(run, subscription);
  },

  touchPushSubscription: (run, id, at) => touchSubscription(run, { id, lastSentAt: at }),

  async deletePushSubscription(run, id) {
    await deleteFor(run, { state: 'waiting', channel: 'push', target: id });
    await deleteUnlistedFor(run, { channel: 'push', target: id });
    return (await deleteSubscription(run, { id })) === 1;
  },

  async saveChatHook(run, hook) {
    await deleteHook(run, hook);
    await insertHook(run, hook);
  },

  async noteChatHook(run, projectId, outcome) {
    if ('sentAt' in outcome)
      await noteHookSent(run, { projectId, lastSentAt: outcome.sentAt, lastError: null });
    else await noteHookError(run, { projectId, lastError: outcome.error });
  },

  async deleteChatHook(run, projectId) {
    await deleteFor(run, { state: 'waiting', channel: 'chat', target: projectId });
    await deleteUnlistedFor(run, { channel: 'chat', target: projectId });
    return (await deleteHook(run, { projectId })) === 1;
  },

  insertPushIdentity: insertOnce(pushIdentity),

  async eraseNotifiedPerson(run, userId) {
    if (await run.first(findMembership, { userId })) return;
    await deletePreferences(run, { userId });
    await deleteUnlistedPush(run, { userId });
    await deleteSubscriptionsOf(run, { userId });
    await deleteNotificationsOf(run, { userId });
    await deleteUnlistedFor(run, { channel: 'mail', target: userId });
  },
} satisfies Partial<OverRunner<NotificationReader & NotificationWriter>>;
