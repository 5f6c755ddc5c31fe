/** Owns webhook deliveries, pending and past: how they are found, and when they are deleted. */
import { sql } from 'kysely';
import type { Delivery, DeliveryFilter, WebhookReader, WebhookWriter } from '../../gate/webhooks/webhook.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { rowsOf } from '../sql/read-statements.ts';
import { type Row, webhookDeliveries } from '../sql/tables.ts';
import { change, deleteOldest } from '../sql/write-statements.ts';

const toDelivery = (row: Row<'webhook_deliveries'>): Delivery => ({
  ...webhookDeliveries.toObject(row),
  position: row.seq,
});

const found = rowsOf(
  webhookDeliveries,
  (rows, $: { projectId: string; webhookId: string; id: string }) =>
    rows.where('id', '=', $.id).where('project_id', '=', $.projectId).where('webhook_id', '=', $.webhookId),
  toDelivery,
);

const list = rowsOf(webhookDeliveries.without('attempts'), (rows, $: DeliveryFilter) => {
  let newest = rows
    .where('project_id', '=', $.projectId)
    .where('webhook_id', '=', $.webhookId)
    .orderBy('id', 'desc')
    .limit($.limit);
  if ($.state !== undefined) newest = newest.where('state', '=', $.state);
  if ($.replayId !== undefined) newest = newest.where('replay_id', '=', $.replayId);
  return $.beforeId === undefined ? newest : newest.where('id', '<', $.beforeId);
});

const due = rowsOf(
  webhookDeliveries,
  (rows, $: { projectId: string; webhookId: string; now: string; limit: number }) =>
    rows
      .where('project_id', '=', $.projectId)
      .where('webhook_id', '=', $.webhookId)
      .where('state', '=', sql.lit('waiting'))
      .where('due_at', '<=', $.now)
      .orderBy('due_at')
      .limit($.limit),
  toDelivery,
);

const findWaitingAfter = prepare((db, $: { projectId: string; webhookId: string; count: number }) =>
  db
    .selectFrom('webhook_deliveries')
    .select('seq')
    .where('project_id', '=', $.projectId)
    .where('webhook_id', '=', $.webhookId)
    .where('state', '=', sql.lit('waiting'))
    .orderBy('due_at')
    .limit(1)
    .offset($.count),
);

const overdue = rowsOf(
  webhookDeliveries,
  (rows, $: { before: string; now: string; limit: number }) =>
    rows
      .where('state', '=', sql.lit('waiting'))
      .where('created_at', '<', $.before)
      .where((eb) => eb.or([eb('leased_by', 'is', null), eb('due_at', '<=', $.now)]))
      .orderBy('created_at')
      .orderBy('seq')
      .limit($.limit),
  toDelivery,
);

const listStranded = prepare((db, $: { limit: number }) =>
  db
    .selectFrom('webhooks')
    .innerJoin('webhook_deliveries as waiting', (join) =>
      join
        .onRef('waiting.project_id', '=', 'webhooks.project_id')
        .onRef('waiting.webhook_id', '=', 'webhooks.id')
        .on('waiting.state', '=', sql.lit('waiting')),
    )
    .select(webhookDeliveries.namesIn('waiting'))
    .where('webhooks.disabled_at', 'is not', null)
    .where('webhooks.deleted_at', 'is', null)
    .orderBy('waiting.seq')
    .limit($.limit),
);

const deleteOfDeleted = change((db, $: { limit: number }) =>
  db.deleteFrom('webhook_deliveries').where('seq', 'in', (eb) =>
    eb
      .selectFrom('webhooks')
      .innerJoin('webhook_deliveries as gone', (join) =>
        join
          .onRef('gone.project_id', '=', 'webhooks.project_id')
          .onRef('gone.webhook_id', '=', 'webhooks.id'),
      )
      .select('gone.seq')
      .where('webhooks.deleted_at', 'is not', null)
      .limit($.limit),
  ),
);

const deleteEmptyWebhooks = change((db, _: object) =>
  db
    .deleteFrom('webhooks')
    .where('deleted_at', 'is not', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('webhook_deliveries as left')
            .select('left.seq')
            .whereRef('left.project_id', '=', 'webhooks.project_id')
            .whereRef('left.webhook_id', '=', 'webhooks.id'),
        ),
      ),
    ),
);

export const deliveryQueries = {
  hasMoreWaitingThan: async (run, projectId, webhookId, count) =>
    (await run.first(findWaitingAfter, { projectId, webhookId, count })) !== undefined,

  listDueDeliveries: (run, projectId, webhookId, now, limit) =>
    due.all(run, { projectId, webhookId, now, limit }),

  listOverdueDeliveries: (run, before, now, limit) => overdue.all(run, { before, now, limit }),

  listStrandedDeliveries: async (run, limit) => (await run.all(listStranded, { limit })).map(toDelivery),

  findDelivery: (run, projectId, webhookId, id) => found.first(run, { projectId, webhookId, id }),

  listDeliveries: (run, filter) => list.all(run, filter),

  deleteDoneDeliveries: deleteOldest(webhookDeliveries, { key: 'seq', before: 'doneAt' }),

  async deleteDeliveriesOfDeleted(run, limit) {
    const deleted = await deleteOfDeleted(run, { limit });
    if (deleted < limit) await deleteEmptyWebhooks(run, {});
    return deleted;
  },
} satisfies Partial<OverRunner<WebhookReader & WebhookWriter>>;
