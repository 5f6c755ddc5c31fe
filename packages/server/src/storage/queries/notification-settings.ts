/** Owns what people and projects want to be told, and where: preferences, devices, chat hooks. */
import type { ChatKind } from '../../gate/notifications/kinds.ts';
import type {
  ChatHook,
  NotificationReader,
  NotificationWriter,
  PushSubscription,
} from '../../gate/notifications/notification.ts';
import type { SavedPreferences } from '../../gate/notifications/preferences.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findPreferencesRow = prepare((db, $: { userId: string }) =>
  db.selectFrom('notification_preferences').select('document').where('user_id', '=', $.userId),
);

const savePreferencesRow = prepare((db, $: Row<'notification_preferences'>) =>
  db
    .insertInto('notification_preferences')
    .values({ user_id: $.user_id, document: $.document, updated_at: $.updated_at })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ document: $.document, updated_at: $.updated_at }),
    ),
);

const listSubscriptionRows = prepare((db, $: { userId: string }) =>
  db.selectFrom('push_subscriptions').selectAll().where('user_id', '=', $.userId).orderBy('seq'),
);

const findSubscriptionRow = prepare((db, $: { id: string }) =>
  db.selectFrom('push_subscriptions').selectAll().where('id', '=', $.id),
);

const findAnySubscription = prepare((db, _: object) =>
  db.selectFrom('push_subscriptions').select('seq').where('seq', '>', 0).orderBy('seq').limit(1),
);

const deleteByEndpoint = prepare((db, $: { hash: string }) =>
  db.deleteFrom('push_subscriptions').where('endpoint_hash', '=', $.hash),
);

const insertSubscriptionRow = prepare((db, $: NewRow<'push_subscriptions'>) =>
  db.insertInto('push_subscriptions').values({
    id: $.id,
    user_id: $.user_id,
    endpoint_hash: $.endpoint_hash,
    sealed: $.sealed,
    host: $.host,
    label: $.label,
    created_at: $.created_at,
    last_sent_at: $.last_sent_at,
  }),
);

const touchSubscriptionRow = prepare((db, $: { id: string; at: string }) =>
  db.updateTable('push_subscriptions').set({ last_sent_at: $.at }).where('id', '=', $.id),
);

const deleteSubscriptionRow = prepare((db, $: { id: string }) =>
  db.deleteFrom('push_subscriptions').where('id', '=', $.id),
);

const deleteWaitingFor = prepare((db, $: { channel: 'push' | 'chat'; target: string }) =>
  db
    .deleteFrom('notifications')
    .where('state', '=', 'waiting')
    .where('channel', '=', $.channel)
    .where('target', '=', $.target),
);

const deleteUnlistedFor = prepare((db, $: { channel: 'push' | 'chat'; target: string }) =>
  db.deleteFrom('unlisted_notifications').where('channel', '=', $.channel).where('target', '=', $.target),
);

const findHookRow = prepare((db, $: { projectId: string }) =>
  db.selectFrom('chat_hooks').selectAll().where('project_id', '=', $.projectId),
);

const insertHookRow = prepare((db, $: NewRow<'chat_hooks'>) =>
  db.insertInto('chat_hooks').values({
    project_id: $.project_id,
    sealed: $.sealed,
    host: $.host,
    hint: $.hint,
    kinds: $.kinds,
    minimum_risk_tier: $.minimum_risk_tier,
    updated_at: $.updated_at,
    last_sent_at: $.last_sent_at,
    last_error: $.last_error,
  }),
);

const noteHookSent = prepare((db, $: { projectId: string; at: string }) =>
  db
    .updateTable('chat_hooks')
    .set({ last_sent_at: $.at, last_error: null })
    .where('project_id', '=', $.projectId),
);

const noteHookError = prepare((db, $: { projectId: string; error: string }) =>
  db.updateTable('chat_hooks').set({ last_error: $.error }).where('project_id', '=', $.projectId),
);

const deleteHookRow = prepare((db, $: { projectId: string }) =>
  db.deleteFrom('chat_hooks').where('project_id', '=', $.projectId),
);

const findIdentityRow = prepare((db, _: object) =>
  db.selectFrom('push_identity').selectAll().where('one', '=', 1),
);

const insertIdentityRow = prepare((db, $: Omit<Row<'push_identity'>, 'one'>) =>
  db
    .insertInto('push_identity')
    .values({ one: 1, public_key: $.public_key, private_key: $.private_key, created_at: $.created_at })
    .onConflict((conflict) => conflict.doNothing()),
);

const findMembership = prepare((db, $: { userId: string }) =>
  db.selectFrom('members').select('role').where('user_id', '=', $.userId).limit(1),
);

const deletePreferencesRow = prepare((db, $: { userId: string }) =>
  db.deleteFrom('notification_preferences').where('user_id', '=', $.userId),
);

const deleteSubscriptionsOf = prepare((db, $: { userId: string }) =>
  db.deleteFrom('push_subscriptions').where('user_id', '=', $.userId),
);

const deleteNotificationsOf = prepare((db, $: { userId: string }) =>
  db.deleteFrom('notifications').where('user_id', '=', $.userId),
);

const deleteUnlistedPush = prepare((db, $: { userId: string }) =>
  db
    .deleteFrom('unlisted_notifications')
    .where('channel', '=', 'push')
    .where('target', 'in', (eb) =>
      eb.selectFrom('push_subscriptions').select('id').where('user_id', '=', $.userId),
    ),
);

const deleteUnlistedMail = prepare((db, $: { userId: string }) =>
  db.deleteFrom('unlisted_notifications').where('channel', '=', 'mail').where('target', '=', $.userId),
);

type Reads = Pick<
  NotificationReader,
  | 'findPreferences'
  | 'listPushSubscriptions'
  | 'findPushSubscription'
  | 'hasPushSubscriptions'
  | 'findChatHook'
  | 'findPushIdentity'
>;
type Writes = Pick<
  NotificationWriter,
  | 'savePreferences'
  | 'savePushSubscription'
  | 'touchPushSubscription'
  | 'deletePushSubscription'
  | 'saveChatHook'
  | 'noteChatHook'
  | 'deleteChatHook'
  | 'insertPushIdentity'
  | 'eraseNotifiedPerson'
>;

export const notificationSettingReads: OverRunner<Reads> = {
  async findPreferences(run, userId) {
    const row = await run.first(findPreferencesRow, { userId });
    return row && fromJson<SavedPreferences>(row.document);
  },

  async listPushSubscriptions(run, userId) {
    return (await run.all(listSubscriptionRows, { userId })).map(toSubscription);
  },

  async findPushSubscription(run, id) {
    const row = await run.first(findSubscriptionRow, { id });
    return row && toSubscription(row);
  },

  async hasPushSubscriptions(run) {
    return (await run.first(findAnySubscription, {})) !== undefined;
  },

  async findChatHook(run, projectId) {
    const row = await run.first(findHookRow, { projectId });
    return row && toHook(row);
  },

  async findPushIdentity(run) {
    const row = await run.first(findIdentityRow, {});
    return row && { publicKey: row.public_key, privateKey: row.private_key, createdAt: row.created_at };
  },
};

export const notificationSettingWrites: OverRunner<Writes> = {
  async savePreferences(run, userId, preferences, at) {
    await run.change(savePreferencesRow, {
      user_id: userId,
      document: toJson(preferences),
      updated_at: at,
    });
  },

  async savePushSubscription(run, subscription) {
    await run.change(deleteByEndpoint, { hash: subscription.endpointHash });
    await run.change(insertSubscriptionRow, {
      id: subscription.id,
      user_id: subscription.userId,
      endpoint_hash: subscription.endpointHash,
      sealed: subscription.sealed,
      host: subscription.host,
      label: subscription.label,
      created_at: subscription.createdAt,
      last_sent_at: subscription.lastSentAt,
    });
  },

  async touchPushSubscription(run, id, at) {
    await run.change(touchSubscriptionRow, { id, at });
  },

  async deletePushSubscription(run, id) {
    await run.change(deleteWaitingFor, { channel: 'push', target: id });
    await run.change(deleteUnlistedFor, { channel: 'push', target: id });
    return (await run.change(deleteSubscriptionRow, { id })) === 1;
  },

  async saveChatHook(run, hook) {
    await run.change(deleteHookRow, { projectId: hook.projectId });
    await run.change(insertHookRow, {
      project_id: hook.projectId,
      sealed: hook.sealed,
      host: hook.host,
      hint: hook.hint,
      kinds: toJson(hook.kinds),
      minimum_risk_tier: hook.minimumRiskTier,
      updated_at: hook.updatedAt,
      last_sent_at: hook.lastSentAt,
      last_error: hook.lastError,
    });
  },

  async noteChatHook(run, projectId, outcome) {
    if ('sentAt' in outcome) await run.change(noteHookSent, { projectId, at: outcome.sentAt });
    else await run.change(noteHookError, { projectId, error: outcome.error });
  },

  async deleteChatHook(run, projectId) {
    await run.change(deleteWaitingFor, { channel: 'chat', target: projectId });
    await run.change(deleteUnlistedFor, { channel: 'chat', target: projectId });
    return (await run.change(deleteHookRow, { projectId })) === 1;
  },

  async insertPushIdentity(run, { publicKey, privateKey, createdAt }) {
    const inserted = await run.change(insertIdentityRow, {
      public_key: publicKey,
      private_key: privateKey,
      created_at: createdAt,
    });
    return inserted === 1;
  },

  async eraseNotifiedPerson(run, userId) {
    if (await run.first(findMembership, { userId })) return;
    await run.change(deletePreferencesRow, { userId });
    await run.change(deleteUnlistedPush, { userId });
    await run.change(deleteSubscriptionsOf, { userId });
    await run.change(deleteNotificationsOf, { userId });
    await run.change(deleteUnlistedMail, { userId });
  },
};

function toSubscription(row: Row<'push_subscriptions'>): PushSubscription {
  return {
    id: row.id,
    userId: row.user_id,
    endpointHash: row.endpoint_hash,
    sealed: row.sealed,
    host: row.host,
    label: row.label,
    createdAt: row.created_at,
    lastSentAt: row.last_sent_at,
  };
}

function toHook(row: Row<'chat_hooks'>): ChatHook {
  return {
    projectId: row.project_id,
    sealed: row.sealed,
    host: row.host,
    hint: row.hint,
    kinds: fromJson<ChatKind[]>(row.kinds),
    minimumRiskTier: row.minimum_risk_tier,
    updatedAt: row.updated_at,
    lastSentAt: row.last_sent_at,
    lastError: row.last_error,
  };
}
