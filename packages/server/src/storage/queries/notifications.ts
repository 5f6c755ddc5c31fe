/** Owns the outbox: what is to be said to whom, how far readers of the log have come, and reminders. */
import { sql } from 'kysely';
import type {
  Channel,
  NotificationReader,
  NotificationWriter,
  QueuedNotification,
} from '../../gate/notifications/notification.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findPositionRow = prepare((db, $: { reader: string; projectId: string }) =>
  db
    .selectFrom('log_readers')
    .select('seq')
    .where('reader', '=', $.reader)
    .where('project_id', '=', $.projectId),
);

const insertPosition = prepare((db, $: Row<'log_readers'>) =>
  db
    .insertInto('log_readers')
    .values({ reader: $.reader, project_id: $.project_id, seq: $.seq })
    .onConflict((conflict) => conflict.doNothing()),
);

const movePosition = prepare((db, $: { reader: string; projectId: string; from: number; to: number }) =>
  db
    .updateTable('log_readers')
    .set({ seq: $.to })
    .where('reader', '=', $.reader)
    .where('project_id', '=', $.projectId)
    .where('seq', '=', $.from),
);

const listDueRows = prepare(
  (db, $: { channel: Row<'notifications'>['channel']; now: string; limit: number }) =>
    db
      .selectFrom('notifications')
      .selectAll()
      .where('state', '=', sql.lit('waiting'))
      .where('channel', '=', $.channel)
      .where('due_at', '<=', $.now)
      .orderBy('due_at')
      .limit($.limit),
);

const listDueRowsFor = prepare(
  (db, $: { channel: Row<'notifications'>['channel']; target: string; now: string; limit: number }) =>
    db
      .selectFrom('notifications')
      .selectAll()
      .where('state', '=', sql.lit('waiting'))
      .where('channel', '=', $.channel)
      .where('target', '=', $.target)
      .where('due_at', '<=', $.now)
      .orderBy('due_at')
      .limit($.limit),
);

const findLastSent = prepare((db, $: { channel: Row<'notifications'>['channel']; target: string }) =>
  db
    .selectFrom('notifications')
    .select((eb) => eb.fn.max('done_at').as('at'))
    .where('state', '=', sql.lit('sent'))
    .where('channel', '=', $.channel)
    .where('target', '=', $.target),
);

const countWaitingRowsFor = prepare((db, $: { channel: Row<'notifications'>['channel']; target: string }) =>
  db
    .selectFrom('notifications')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '=', sql.lit('waiting'))
    .where('channel', '=', $.channel)
    .where('target', '=', $.target),
);

const countWaitingRows = prepare((db, _: object) =>
  db
    .selectFrom('notifications')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '=', sql.lit('waiting')),
);

const findUnlisted = prepare((db, $: { channel: Channel; target: string }) =>
  db
    .selectFrom('unlisted_notifications')
    .select('count')
    .where('channel', '=', $.channel)
    .where('target', '=', $.target),
);

const insertUnlisted = prepare((db, $: Row<'unlisted_notifications'>) =>
  db
    .insertInto('unlisted_notifications')
    .values({ channel: $.channel, target: $.target, count: $.count })
    .onConflict((conflict) =>
      conflict
        .columns(['channel', 'target'])
        .doUpdateSet((eb) => ({ count: eb('unlisted_notifications.count', '+', $.count) })),
    ),
);

const subtractUnlistedRow = prepare((db, $: Row<'unlisted_notifications'>) =>
  db
    .updateTable('unlisted_notifications')
    .set((eb) => ({ count: eb('count', '-', $.count) }))
    .where('channel', '=', $.channel)
    .where('target', '=', $.target)
    .where('count', '>=', $.count),
);

const listNotifiedRows = prepare((db, $: { intentId: string }) =>
  db
    .selectFrom('notifications')
    .select('user_id')
    .where('intent_id', '=', $.intentId)
    .where('state', '=', 'sent')
    .where('kind', 'in', ['waiting', 'reminder'])
    .where('user_id', 'is not', null),
);

const listReminderRows = prepare((db, $: { now: string; limit: number }) =>
  db.selectFrom('reminders').selectAll().where('due_at', '<=', $.now).orderBy('due_at').limit($.limit),
);

const insertRow = prepare((db, $: NewRow<'notifications'>) =>
  db
    .insertInto('notifications')
    .values({
      cause_id: $.cause_id,
      kind: $.kind,
      channel: $.channel,
      target: $.target,
      user_id: $.user_id,
      project_id: $.project_id,
      intent_id: $.intent_id,
      detail: $.detail,
      state: 'waiting',
      created_at: $.created_at,
      due_at: $.due_at,
      attempts: 0,
      last_error: null,
      done_at: null,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

const finishRow = prepare((db, $: { position: number; state: Row<'notifications'>['state']; at: string }) =>
  db
    .updateTable('notifications')
    .set({ state: $.state, done_at: $.at })
    .where('seq', '=', $.position)
    .where('state', '=', 'waiting'),
);

const postponeRow = prepare((db, $: { position: number; dueAt: string }) =>
  db
    .updateTable('notifications')
    .set({ due_at: $.dueAt })
    .where('seq', '=', $.position)
    .where('state', '=', 'waiting'),
);

const retryRow = prepare((db, $: { position: number; dueAt: string; error: string }) =>
  db
    .updateTable('notifications')
    .set((eb) => ({ due_at: $.dueAt, attempts: eb('attempts', '+', 1), last_error: $.error }))
    .where('seq', '=', $.position)
    .where('state', '=', 'waiting'),
);

const forgetNotifiedRows = prepare((db, $: { intentId: string }) =>
  db
    .deleteFrom('notifications')
    .where('intent_id', '=', $.intentId)
    .where('kind', 'in', ['waiting', 'reminder'])
    .where('state', '<>', 'waiting'),
);

const deleteDoneRows = prepare((db, $: { before: string; limit: number }) =>
  db
    .deleteFrom('notifications')
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('notifications as old')
        .select('old.seq')
        .where('old.done_at', 'is not', null)
        .where('old.done_at', '<', $.before)
        .orderBy('old.done_at')
        .limit($.limit),
    ),
);

const insertReminderRow = prepare((db, $: Row<'reminders'>) =>
  db
    .insertInto('reminders')
    .values({ intent_id: $.intent_id, project_id: $.project_id, due_at: $.due_at })
    .onConflict((conflict) => conflict.doNothing()),
);

const deleteReminderRow = prepare((db, $: { intentId: string }) =>
  db.deleteFrom('reminders').where('intent_id', '=', $.intentId),
);

const deleteOfIntent = prepare((db, $: { intentId: string }) =>
  db.deleteFrom('notifications').where('intent_id', '=', $.intentId),
);

const deleteOfMember = prepare((db, $: { projectId: string; userId: string }) =>
  db.deleteFrom('notifications').where('user_id', '=', $.userId).where('project_id', '=', $.projectId),
);

type Reads = Pick<
  NotificationReader,
  | 'findReaderPosition'
  | 'listDueNotifications'
  | 'listDueFor'
  | 'findLastSentAt'
  | 'countWaitingFor'
  | 'countWaitingNotifications'
  | 'countUnlisted'
  | 'listNotifiedPeople'
  | 'listDueReminders'
>;
type Writes = Pick<
  NotificationWriter,
  | 'moveReader'
  | 'insertNotification'
  | 'addUnlisted'
  | 'subtractUnlisted'
  | 'finishNotification'
  | 'postponeNotification'
  | 'forgetNotified'
  | 'deleteDoneNotifications'
  | 'insertReminder'
  | 'deleteReminder'
  | 'eraseNotificationsOfIntent'
  | 'eraseNotificationsOfMember'
>;

export const notificationReads: OverRunner<Reads> = {
  async findReaderPosition(run, reader, projectId) {
    return (await run.first(findPositionRow, { reader, projectId }))?.seq;
  },

  async listDueNotifications(run, channel, now, limit) {
    return (await run.all(listDueRows, { channel, now, limit })).map(toNotification);
  },

  async listDueFor(run, channel, target, now, limit) {
    return (await run.all(listDueRowsFor, { channel, target, now, limit })).map(toNotification);
  },

  async findLastSentAt(run, channel, target) {
    return (await run.first(findLastSent, { channel, target }))?.at ?? undefined;
  },

  async countWaitingFor(run, channel, target) {
    return (await run.first(countWaitingRowsFor, { channel, target }))?.count ?? 0;
  },

  async countWaitingNotifications(run) {
    return (await run.first(countWaitingRows, {}))?.count ?? 0;
  },

  async countUnlisted(run, channel, target) {
    return (await run.first(findUnlisted, { channel, target }))?.count ?? 0;
  },

  async listNotifiedPeople(run, intentId) {
    const rows = await run.all(listNotifiedRows, { intentId });
    return [...new Set(rows.flatMap(({ user_id }) => user_id ?? []))];
  },

  async listDueReminders(run, now, limit) {
    const rows = await run.all(listReminderRows, { now, limit });
    return rows.map((row) => ({ intentId: row.intent_id, projectId: row.project_id, dueAt: row.due_at }));
  },
};

export const notificationWrites: OverRunner<Writes> = {
  async moveReader(run, reader, projectId, from, to) {
    const moved =
      from === undefined
        ? await run.change(insertPosition, { reader, project_id: projectId, seq: to })
        : await run.change(movePosition, { reader, projectId, from, to });
    return moved === 1;
  },

  async insertNotification(run, notification) {
    const inserted = await run.change(insertRow, {
      cause_id: notification.causeId,
      kind: notification.kind,
      channel: notification.channel,
      target: notification.target,
      user_id: notification.userId,
      project_id: notification.projectId,
      intent_id: notification.intentId,
      detail: toJson(notification.detail),
      state: 'waiting',
      created_at: notification.createdAt,
      due_at: notification.dueAt,
      attempts: 0,
      last_error: null,
      done_at: null,
    });
    return inserted === 1;
  },

  async addUnlisted(run, channel, target, count) {
    await run.change(insertUnlisted, { channel, target, count });
  },

  async subtractUnlisted(run, channel, target, count) {
    await run.change(subtractUnlistedRow, { channel, target, count });
  },

  async finishNotification(run, position, state, at) {
    await run.change(finishRow, { position, state, at });
  },

  async postponeNotification(run, position, dueAt, error) {
    if (error === null) await run.change(postponeRow, { position, dueAt });
    else await run.change(retryRow, { position, dueAt, error });
  },

  async forgetNotified(run, intentId) {
    await run.change(forgetNotifiedRows, { intentId });
  },

  async deleteDoneNotifications(run, before, limit) {
    return run.change(deleteDoneRows, { before, limit });
  },

  async insertReminder(run, { intentId, projectId, dueAt }) {
    await run.change(insertReminderRow, { intent_id: intentId, project_id: projectId, due_at: dueAt });
  },

  async deleteReminder(run, intentId) {
    return (await run.change(deleteReminderRow, { intentId })) === 1;
  },

  async eraseNotificationsOfIntent(run, intentId) {
    await run.change(deleteOfIntent, { intentId });
    await run.change(deleteReminderRow, { intentId });
  },

  async eraseNotificationsOfMember(run, projectId, userId) {
    await run.change(deleteOfMember, { projectId, userId });
  },
};

function toNotification(row: Row<'notifications'>): QueuedNotification {
  return {
    position: row.seq,
    causeId: row.cause_id,
    kind: row.kind,
    channel: row.channel,
    target: row.target,
    userId: row.user_id,
    projectId: row.project_id,
    intentId: row.intent_id,
    detail: fromJson(row.detail),
    createdAt: row.created_at,
    dueAt: row.due_at,
    attempts: row.attempts,
  };
}
