/**
 * Owns the deliveries to webhooks as admins see them, and the deliveries that disabled or deleted webhooks leave
 * behind.
 */
import { sql } from 'kysely';
import type {
  DeliveryFilter,
  WebhookDelivery,
  WebhookReader,
  WebhookWriter,
} from '../../gate/webhooks/webhook.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { rowsOf } from '../sql/read-statements.ts';
import { deliveries, type Row } from '../sql/tables.ts';
import { change } from '../sql/write-statements.ts';
import { toDelivery } from './deliveries.ts';

const found = rowsOf(
  deliveries,
  (rows, $: { projectId: string; webhookId: string; id: string }) =>
    rows.where('id', '=', $.id).where('target', '=', $.webhookId).where('project_id', '=', $.projectId),
  toDelivery as (row: Row<'deliveries'>) => WebhookDelivery,
);

const summaries = deliveries.without('attempts');

const list = rowsOf(
  summaries,
  (rows, $: DeliveryFilter) => {
    // Repeats the conditions of the index by state, so that a database chooses no other index. Its statistics would
    // mislead, because most targets have few deliveries, but a webhook has many.
    const listed =
      $.state === undefined
        ? rows.where('channel', '=', sql.lit('webhook'))
        : rows.where('event_type', 'is not', null).where('state', '=', $.state);
    let newest = listed
      .where('project_id', '=', $.projectId)
      .where('target', '=', $.webhookId)
      .orderBy('id', 'desc')
      .limit($.limit);
    if ($.replayId !== undefined) newest = newest.where('replay_id', '=', $.replayId);
    return $.beforeId === undefined ? newest : newest.where('id', '<', $.beforeId);
  },
  summaries.toObject as (row: object) => WebhookDelivery,
);

const listStranded = prepare((db, $: { limit: number }) =>
  db
    .selectFrom('webhooks')
    .innerJoin('deliveries as waiting', (join) =>
      join
        .onRef('waiting.project_id', '=', 'webhooks.project_id')
        .onRef('waiting.target', '=', 'webhooks.id')
        .on('waiting.channel', '=', sql.lit('webhook'))
        .on('waiting.state', '=', sql.lit('waiting')),
    )
    .select(deliveries.namesIn('waiting'))
    .where('webhooks.disabled_at', 'is not', null)
    .where('webhooks.deleted_at', 'is', null)
    .orderBy('waiting.seq')
    .limit($.limit),
);

const deleteOfDeleted = change((db, $: { limit: number }) =>
  db.deleteFrom('deliveries').where('seq', 'in', (eb) =>
    eb
      .selectFrom('webhooks')
      .innerJoin('deliveries as gone', (join) =>
        join
          .onRef('gone.project_id', '=', 'webhooks.project_id')
          .onRef('gone.target', '=', 'webhooks.id')
          .on('gone.channel', '=', sql.lit('webhook')),
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
            .selectFrom('deliveries as left')
            .select('left.seq')
            .where('left.channel', '=', sql.lit('webhook'))
            .whereRef('left.project_id', '=', 'webhooks.project_id')
            .whereRef('left.target', '=', 'webhooks.id'),
        ),
      ),
    ),
);

export const webhookDeliveryQueries = {
  listStrandedDeliveries: async (run, limit) => (await run.all(listStranded, { limit })).map(toDelivery),

  findDelivery: (run, projectId, webhookId, id) => found.first(run, { projectId, webhookId, id }),

  listDeliveries: (run, filter) => list.all(run, filter),

  async deleteDeliveriesOfDeleted(run, limit) {
    const deleted = await deleteOfDeleted(run, { limit });
    if (deleted < limit) await deleteEmptyWebhooks(run, {});
    return deleted;
  },
} satisfies Partial<OverRunner<WebhookReader & WebhookWriter>>;
