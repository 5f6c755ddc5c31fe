/** Owns webhooks: where events go, and how it went there lately. */
import { sql } from 'kysely';
import type { Webhook, WebhookReader, WebhookWriter } from '../../gate/webhooks/webhook.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { projectId: string; id: string }) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', $.id)
    .where('project_id', '=', $.projectId)
    .where('deleted_at', 'is', null),
);

const listRows = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('project_id', '=', $.projectId)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc'),
);

const listProjectIds = prepare((db, $: { reader: string }) =>
  db
    .selectFrom('webhooks')
    .innerJoin('chain_heads', 'chain_heads.project_id', 'webhooks.project_id')
    .leftJoin('log_readers', (join) =>
      join
        .onRef('log_readers.project_id', '=', 'webhooks.project_id')
        .on('log_readers.reader', '=', $.reader),
    )
    .select('webhooks.project_id')
    .distinct()
    .where('webhooks.deleted_at', 'is', null)
    .where('webhooks.disabled_at', 'is', null)
    .whereRef('chain_heads.seq', '>', 'webhooks.after_seq')
    .where((eb) => eb('chain_heads.seq', '>', eb.fn.coalesce('log_readers.seq', eb.lit(0)))),
);

const listDueRows = prepare((db, $: { now: string }) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('disabled_at', 'is', null)
    .where((eb) => eb.or([eb('open_until', 'is', null), eb('open_until', '<=', $.now)]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhook_deliveries as due')
          .select('due.seq')
          .whereRef('due.project_id', '=', 'webhooks.project_id')
          .whereRef('due.webhook_id', '=', 'webhooks.id')
          .where('due.state', '=', sql.lit('waiting'))
          .where('due.due_at', '<=', $.now),
      ),
    ),
);

const countOpen = prepare((db, $: { now: string }) =>
  db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .where('disabled_at', 'is', null)
    .where('open_until', '>', $.now),
);

const measureWaiting = prepare((db, _: object) =>
  db
    .selectFrom('webhook_deliveries')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
    .where('state', '=', sql.lit('waiting')),
);

const insertRow = prepare((db, $: NewRow<'webhooks'>) =>
  db.insertInto('webhooks').values({
    id: $.id,
    project_id: $.project_id,
    sealed_url: $.sealed_url,
    host: $.host,
    description: $.description,
    event_types: $.event_types,
    secrets: $.secrets,
    after_seq: $.after_seq,
    created_at: $.created_at,
    updated_at: $.updated_at,
    disabled_at: $.disabled_at,
    disabled_reason: $.disabled_reason,
    deleted_at: null,
    failures: $.failures,
    failing_since: $.failing_since,
    open_until: $.open_until,
    last_delivered_at: $.last_delivered_at,
  }),
);

type Settings = Pick<
  Row<'webhooks'>,
  | 'id'
  | 'sealed_url'
  | 'host'
  | 'description'
  | 'event_types'
  | 'secrets'
  | 'after_seq'
  | 'updated_at'
  | 'disabled_at'
  | 'disabled_reason'
>;

const updateRow = prepare((db, $: Settings) =>
  db
    .updateTable('webhooks')
    .set({
      sealed_url: $.sealed_url,
      host: $.host,
      description: $.description,
      event_types: $.event_types,
      secrets: $.secrets,
      after_seq: $.after_seq,
      updated_at: $.updated_at,
      disabled_at: $.disabled_at,
      disabled_reason: $.disabled_reason,
    })
    .where('id', '=', $.id)
    .where('deleted_at', 'is', null),
);

const disableRow = prepare(
  (db, $: { id: string; reason: NonNullable<Row<'webhooks'>['disabled_reason']>; at: string }) =>
    db
      .updateTable('webhooks')
      .set({ disabled_at: $.at, disabled_reason: $.reason, updated_at: $.at })
      .where('id', '=', $.id)
      .where('deleted_at', 'is', null)
      .where('disabled_at', 'is', null),
);

const resetRow = prepare((db, $: { id: string }) =>
  db
    .updateTable('webhooks')
    .set({ failures: 0, failing_since: null, open_until: null })
    .where('id', '=', $.id),
);

const closeRow = prepare((db, $: { id: string }) =>
  db
    .updateTable('webhooks')
    .set({ open_until: null })
    .where('id', '=', $.id)
    .where('open_until', 'is not', null),
);

const succeedRow = prepare((db, $: { id: string; at: string; minuteBefore: string }) =>
  db
    .updateTable('webhooks')
    .set({ failures: 0, failing_since: null, open_until: null, last_delivered_at: $.at })
    .where('id', '=', $.id)
    .where((eb) =>
      eb.or([
        eb('failures', '>', 0),
        eb('last_delivered_at', 'is', null),
        eb('last_delivered_at', '<', $.minuteBefore),
      ]),
    ),
);

const failRow = prepare((db, $: { id: string; at: string; openUntil: string | null }) =>
  db
    .updateTable('webhooks')
    .set((eb) => ({
      failures: eb('failures', '+', 1),
      failing_since: eb.fn.coalesce('failing_since', eb.val($.at)),
      open_until: $.openUntil,
    }))
    .where('id', '=', $.id),
);

const probeRow = prepare((db, $: { id: string; openUntil: string; until: string }) =>
  db
    .updateTable('webhooks')
    .set({ open_until: $.until })
    .where('id', '=', $.id)
    .where('open_until', '=', $.openUntil),
);

const deleteRow = prepare((db, $: { id: string; at: string }) =>
  db
    .updateTable('webhooks')
    .set({ deleted_at: $.at, sealed_url: '', secrets: '[]', description: null })
    .where('id', '=', $.id)
    .where('deleted_at', 'is', null),
);

type Reads = Pick<
  WebhookReader,
  'findWebhook' | 'listWebhooks' | 'listProjectsToDeliver' | 'listDueWebhooks' | 'measureWebhooks'
>;
type Writes = Pick<
  WebhookWriter,
  | 'insertWebhook'
  | 'updateWebhook'
  | 'disableWebhook'
  | 'resetWebhookHealth'
  | 'letWebhookThrough'
  | 'noteWebhookSuccess'
  | 'noteWebhookFailure'
  | 'takeProbe'
  | 'deleteWebhook'
>;

export const webhookReads: OverRunner<Reads> = {
  async findWebhook(run, projectId, id) {
    const row = await run.first(findRow, { projectId, id });
    return row && toWebhook(row);
  },

  async listWebhooks(run, projectId) {
    return (await run.all(listRows, { projectId })).map(toWebhook);
  },

  async listProjectsToDeliver(run, reader) {
    return (await run.all(listProjectIds, { reader })).map((row) => row.project_id);
  },

  async listDueWebhooks(run, now) {
    return (await run.all(listDueRows, { now })).map(toWebhook);
  },

  async measureWebhooks(run, now) {
    const waiting = await run.first(measureWaiting, {});
    const open = await run.first(countOpen, { now });
    return {
      waiting: waiting?.count ?? 0,
      oldestWaitingSince: waiting?.oldest ?? null,
      openCircuits: open?.count ?? 0,
    };
  },
};

export const webhookWrites: OverRunner<Writes> = {
  async insertWebhook(run, webhook) {
    await run.change(insertRow, {
      ...toSettings(webhook),
      project_id: webhook.projectId,
      created_at: webhook.createdAt,
      deleted_at: null,
      failures: webhook.failures,
      failing_since: webhook.failingSince,
      open_until: webhook.openUntil,
      last_delivered_at: webhook.lastDeliveredAt,
    });
  },

  async updateWebhook(run, webhook) {
    await run.change(updateRow, toSettings(webhook));
  },

  async disableWebhook(run, id, reason, at) {
    return (await run.change(disableRow, { id, reason, at })) === 1;
  },

  async resetWebhookHealth(run, id) {
    await run.change(resetRow, { id });
  },

  async letWebhookThrough(run, id) {
    await run.change(closeRow, { id });
  },

  async noteWebhookSuccess(run, id, at, minuteBefore) {
    await run.change(succeedRow, { id, at, minuteBefore });
  },

  async noteWebhookFailure(run, id, at, openUntil) {
    await run.change(failRow, { id, at, openUntil });
  },

  async takeProbe(run, id, openUntil, until) {
    return (await run.change(probeRow, { id, openUntil, until })) === 1;
  },

  async deleteWebhook(run, id, at) {
    return (await run.change(deleteRow, { id, at })) === 1;
  },
};

function toSettings(webhook: Webhook): Settings {
  return {
    id: webhook.id,
    sealed_url: webhook.sealedUrl,
    host: webhook.host,
    description: webhook.description,
    event_types: webhook.eventTypes && toJson(webhook.eventTypes),
    secrets: toJson(webhook.secrets),
    after_seq: webhook.afterSeq,
    updated_at: webhook.updatedAt,
    disabled_at: webhook.disabledAt,
    disabled_reason: webhook.disabledReason,
  };
}

function toWebhook(row: Row<'webhooks'>): Webhook {
  return {
    id: row.id,
    projectId: row.project_id,
    sealedUrl: row.sealed_url,
    host: row.host,
    description: row.description,
    eventTypes: row.event_types === null ? null : fromJson(row.event_types),
    secrets: fromJson(row.secrets),
    afterSeq: row.after_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    failures: row.failures,
    failingSince: row.failing_since,
    openUntil: row.open_until,
    lastDeliveredAt: row.last_delivered_at,
  };
}
