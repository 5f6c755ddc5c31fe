/** Owns the notifications about an intent, sent and still to be sent, how many were only counted, and reminders. */
import { sql } from 'kysely';
import type { NotificationReader, NotificationWriter } from '../../gate/notifications/notification.ts';
import type { Channel, OutboxWriter } from '../../gate/outbox/delivery.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { countOf, findIn, rowsOf } from '../sql/read-statements.ts';
import { deliveries, reminders, unlistedNotifications } from '../sql/tables.ts';
import { change, deleteFrom, insertOnce } from '../sql/write-statements.ts';

type Target = { channel: Channel; target: string };

const toPeople = ['mail', 'push', 'chat'] as const;

const countWaiting = countOf(deliveries, (rows) =>
  rows.where('state', '=', sql.lit('waiting')).where('channel', 'in', toPeople),
);

const findUnlisted = findIn(unlistedNotifications, 'channel', 'target');
const addUnlisted = change((db, $: Target & { count: number }) =>
  db
    .insertInto('unlisted_notifications')
    .values({ channel: $.channel, target: $.target, count: $.count })
    .onConflict((conflict) =>
      conflict
        .columns(['channel', 'target'])
        .doUpdateSet((eb) => ({ count: eb('unlisted_notifications.count', '+', $.count) })),
    ),
);

const subtractUnlisted = change((db, $: Target & { count: number }) =>
  db
    .updateTable('unlisted_notifications')
    .set((eb) => ({ count: eb('count', '-', $.count) }))
    .where('channel', '=', $.channel)
    .where('target', '=', $.target)
    .where('count', '>=', $.count),
);

const listNotified = prepare((db, $: { intentId: string }) =>
  db
    .selectFrom('deliveries')
    .select('user_id')
    .where('channel', '<>', sql.lit('webhook'))
    .where('intent_id', '=', $.intentId)
    .where('state', '=', 'delivered')
    .where('kind', 'in', ['waiting', 'reminder'])
    .where('user_id', 'is not', null),
);

const dueReminders = rowsOf(reminders, (rows, $: { now: string; limit: number }) =>
  rows.where('due_at', '<=', $.now).orderBy('due_at').limit($.limit),
);
const deleteReminder = deleteFrom(reminders, 'intentId');

const deleteOfIntent = change((db, $: { intentId: string }) =>
  db.deleteFrom('deliveries').where('channel', '<>', sql.lit('webhook')).where('intent_id', '=', $.intentId),
);
const deleteOfMember = deleteFrom(deliveries, 'userId', 'projectId');

const forgetNotified = change((db, $: { intentId: string }) =>
  db
    .deleteFrom('deliveries')
    .where('channel', '<>', sql.lit('webhook'))
    .where('intent_id', '=', $.intentId)
    .where('kind', 'in', ['waiting', 'reminder'])
    .where('state', '<>', 'waiting'),
);

export const notificationQueries = {
  countWaitingNotifications: (run) => countWaiting(run, {}),

  countUnlisted: async (run, channel, target) => (await findUnlisted(run, { channel, target }))?.count ?? 0,

  async listNotifiedPeople(run, intentId) {
    const rows = await run.all(listNotified, { intentId });
    return [...new Set(rows.flatMap(({ user_id }) => user_id ?? []))];
  },

  listDueReminders: (run, now, limit) => dueReminders.all(run, { now, limit }),

  addUnlisted: (run, channel, target, count) => addUnlisted(run, { channel, target, count }),

  subtractUnlisted: (run, channel, target, count) => subtractUnlisted(run, { channel, target, count }),

  forgetNotified: (run, intentId) => forgetNotified(run, { intentId }),

  insertReminder: insertOnce(reminders),

  deleteReminder: async (run, intentId) => (await deleteReminder(run, { intentId })) === 1,

  async eraseNotificationsOfIntent(run, intentId) {
    await deleteOfIntent(run, { intentId });
    await deleteReminder(run, { intentId });
  },

  eraseNotificationsOfMember: (run, projectId, userId) => deleteOfMember(run, { projectId, userId }),
} satisfies Partial<OverRunner<NotificationReader & NotificationWriter & OutboxWriter>>;
