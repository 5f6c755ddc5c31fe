/** Owns the outbox: messages to people and projects, and reminders. */
import { sql } from 'kysely';
import type {
  Channel,
  NotificationReader,
  NotificationWriter,
  QueuedNotification,
} from '../../gate/notifications/notification.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { countOf, findIn, type Rows, rowsOf } from '../sql/read-statements.ts';
import { notifications, type Row, reminders, unlistedNotifications } from '../sql/tables.ts';
import {
  change,
  deleteFrom,
  deleteOldest,
  insertOnce,
  type Update,
  updateWhere,
} from '../sql/write-statements.ts';

type Target = { channel: Channel; target: string };

const toQueued = (row: Row<'notifications'>): QueuedNotification => ({
  ...notifications.toObject(row),
  position: row.seq,
});

type Due = { channel: Channel; now: string; limit: number };

const whichDue = (rows: Rows<'notifications'>, $: Due) =>
  rows
    .where('state', '=', sql.lit('waiting'))
    .where('channel', '=', $.channel)
    .where('due_at', '<=', $.now)
    .orderBy('due_at')
    .limit($.limit);

const due = rowsOf(notifications, whichDue, toQueued);
const dueFor = rowsOf(
  notifications,
  (rows, $: Due & Target) => whichDue(rows, $).where('target', '=', $.target),
  toQueued,
);

const findLastSent = prepare((db, $: Target) =>
  db
    .selectFrom('notifications')
    .select((eb) => eb.fn.max('done_at').as('at'))
    .where('state', '=', sql.lit('sent'))
    .where('channel', '=', $.channel)
    .where('target', '=', $.target),
);

const countWaiting = countOf(notifications, (rows) => rows.where('state', '=', sql.lit('waiting')));
const countWaitingFor = countOf(notifications, (rows, $: Target) =>
  rows
    .where('state', '=', sql.lit('waiting'))
    .where('channel', '=', $.channel)
    .where('target', '=', $.target),
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
    .selectFrom('notifications')
    .select('user_id')
    .where('intent_id', '=', $.intentId)
    .where('state', '=', 'sent')
    .where('kind', 'in', ['waiting', 'reminder'])
    .where('user_id', 'is not', null),
);

const dueReminders = rowsOf(reminders, (rows, $: { now: string; limit: number }) =>
  rows.where('due_at', '<=', $.now).orderBy('due_at').limit($.limit),
);
const deleteReminder = deleteFrom(reminders, 'intentId');

const insert = insertOnce(notifications);
const deleteOfIntent = deleteFrom(notifications, 'intentId');
const deleteOfMember = deleteFrom(notifications, 'userId', 'projectId');

const whileWaiting = (rows: Update<'notifications'>, $: { position: number }) =>
  rows.where('seq', '=', $.position).where('state', '=', 'waiting');

const finish = updateWhere(notifications, ['state', 'doneAt'], whileWaiting);
const postpone = updateWhere(notifications, ['dueAt'], whileWaiting);
const retry = updateWhere(notifications, ['dueAt', 'lastError'], (rows, $: { position: number }) =>
  whileWaiting(rows, $).set((eb) => ({ attempts: eb('attempts', '+', 1) })),
);

const forgetNotified = change((db, $: { intentId: string }) =>
  db
    .deleteFrom('notifications')
    .where('intent_id', '=', $.intentId)
    .where('kind', 'in', ['waiting', 'reminder'])
    .where('state', '<>', 'waiting'),
);

export const notificationQueries = {
  listDueNotifications: (run, channel, now, limit) => due.all(run, { channel, now, limit }),

  listDueFor: (run, channel, target, now, limit) => dueFor.all(run, { channel, target, now, limit }),

  findLastSentAt: async (run, channel, target) =>
    (await run.first(findLastSent, { channel, target }))?.at ?? undefined,

  countWaitingFor: (run, channel, target) => countWaitingFor(run, { channel, target }),

  countWaitingNotifications: (run) => countWaiting(run, {}),

  countUnlisted: async (run, channel, target) => (await findUnlisted(run, { channel, target }))?.count ?? 0,

  async listNotifiedPeople(run, intentId) {
    const rows = await run.all(listNotified, { intentId });
    return [...new Set(rows.flatMap(({ user_id }) => user_id ?? []))];
  },

  listDueReminders: (run, now, limit) => dueReminders.all(run, { now, limit }),

  insertNotification: (run, notification) => insert(run, { ...notification, attempts: 0 }),

  addUnlisted: (run, channel, target, count) => addUnlisted(run, { channel, target, count }),

  subtractUnlisted: (run, channel, target, count) => subtractUnlisted(run, { channel, target, count }),

  finishNotification: (run, position, state, at) => finish(run, { position, state, doneAt: at }),

  async postponeNotification(run, position, dueAt, error) {
    if (error === null) await postpone(run, { position, dueAt });
    else await retry(run, { position, dueAt, lastError: error });
  },

  forgetNotified: (run, intentId) => forgetNotified(run, { intentId }),

  deleteDoneNotifications: deleteOldest(notifications, { key: 'seq', before: 'doneAt' }),

  insertReminder: insertOnce(reminders),

  deleteReminder: async (run, intentId) => (await deleteReminder(run, { intentId })) === 1,

  async eraseNotificationsOfIntent(run, intentId) {
    await deleteOfIntent(run, { intentId });
    await deleteReminder(run, { intentId });
  },

  eraseNotificationsOfMember: (run, projectId, userId) => deleteOfMember(run, { projectId, userId }),
} satisfies Partial<OverRunner<NotificationReader & NotificationWriter>>;
