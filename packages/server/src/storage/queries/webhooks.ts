/** Owns webhooks: where events go, and the recent results. */
import { sql } from 'kysely';
import type { DisabledReason, WebhookReader, WebhookWriter } from '../../gate/webhooks/webhook.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { countOf, rowsOf } from '../sql/read-statements.ts';
import { webhooks } from '../sql/tables.ts';
import { change, guarded, insertInto, updateOf, updateWhere } from '../sql/write-statements.ts';

const liveById = rowsOf(webhooks, (rows, $: { projectId: string; id: string }) =>
  rows.where('id', '=', $.id).where('project_id', '=', $.projectId).where('deleted_at', 'is', null),
);
const live = rowsOf(webhooks, (rows, $: { projectId: string }) =>
  rows.where('project_id', '=', $.projectId).where('deleted_at', 'is', null).orderBy('id', 'desc'),
);
const due = rowsOf(webhooks, (rows, $: { now: string }) =>
  rows
    .where('deleted_at', 'is', null)
    .where('disabled_at', 'is', null)
    .where((eb) => eb.or([eb('open_until', 'is', null), eb('open_until', '<=', $.now)]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('deliveries as due')
          .select('due.seq')
          .where('due.channel', '=', sql.lit('webhook'))
          .whereRef('due.target', '=', 'webhooks.id')
          .where('due.state', '=', sql.lit('waiting'))
          .where('due.due_at', '<=', $.now),
      ),
    ),
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

const countOpen = countOf(webhooks, (rows, $: { now: string }) =>
  rows.where('deleted_at', 'is', null).where('disabled_at', 'is', null).where('open_until', '>', $.now),
);

const measureWaiting = prepare((db, _: object) =>
  db
    .selectFrom('deliveries')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
    .where('channel', '=', sql.lit('webhook'))
    .where('state', '=', sql.lit('waiting')),
);

const update = updateWhere(
  webhooks,
  [
    'sealedUrl',
    'host',
    'description',
    'eventTypes',
    'secrets',
    'afterSeq',
    'updatedAt',
    'disabledAt',
    'disabledReason',
  ],
  (rows, $: { id: string }) => rows.where('id', '=', $.id).where('deleted_at', 'is', null),
);
const reset = updateOf(webhooks, { set: ['failures', 'failingSince', 'openUntil'], where: ['id'] });

const disable = guarded(webhooks, (rows, $: { id: string; reason: DisabledReason; at: string }) =>
  rows
    .set({ disabled_at: $.at, disabled_reason: $.reason, updated_at: $.at })
    .where('id', '=', $.id)
    .where('deleted_at', 'is', null)
    .where('disabled_at', 'is', null),
);

const close = change((db, $: { id: string }) =>
  db
    .updateTable('webhooks')
    .set({ open_until: null })
    .where('id', '=', $.id)
    .where('open_until', 'is not', null),
);

const succeed = change((db, $: { id: string; at: string; minuteBefore: string }) =>
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

const fail = change((db, $: { id: string; at: string; openUntil: string | null }) =>
  db
    .updateTable('webhooks')
    .set((eb) => ({
      failures: eb('failures', '+', 1),
      failing_since: eb.fn.coalesce('failing_since', eb.val($.at)),
      open_until: $.openUntil,
    }))
    .where('id', '=', $.id),
);

const probe = guarded(webhooks, (rows, $: { id: string; openUntil: string; until: string }) =>
  rows.set({ open_until: $.until }).where('id', '=', $.id).where('open_until', '=', $.openUntil),
);

const markDeleted = guarded(webhooks, (rows, $: { id: string; at: string }) =>
  rows
    .set({ deleted_at: $.at, sealed_url: '', secrets: '[]', description: null })
    .where('id', '=', $.id)
    .where('deleted_at', 'is', null),
);

export const webhookQueries = {
  findWebhook: (run, projectId, id) => liveById.first(run, { projectId, id }),

  listWebhooks: (run, projectId) => live.all(run, { projectId }),

  listProjectsToDeliver: async (run, reader) =>
    (await run.all(listProjectIds, { reader })).map((row) => row.project_id),

  listDueWebhooks: (run, now) => due.all(run, { now }),

  async measureWebhooks(run, now) {
    const waiting = await run.first(measureWaiting, {});
    return {
      waiting: waiting?.count ?? 0,
      oldestWaitingSince: waiting?.oldest ?? null,
      openCircuits: await countOpen(run, { now }),
    };
  },

  insertWebhook: insertInto(webhooks),

  updateWebhook: update,

  disableWebhook: (run, id, reason, at) => disable(run, { id, reason, at }),

  resetWebhookHealth: (run, id) => reset(run, { id, failures: 0, failingSince: null, openUntil: null }),

  letWebhookThrough: (run, id) => close(run, { id }),

  noteWebhookSuccess: (run, id, at, minuteBefore) => succeed(run, { id, at, minuteBefore }),

  noteWebhookFailure: (run, id, at, openUntil) => fail(run, { id, at, openUntil }),

  takeProbe: (run, id, openUntil, until) => probe(run, { id, openUntil, until }),

  deleteWebhook: (run, id, at) => markDeleted(run, { id, at }),
} satisfies Partial<OverRunner<WebhookReader & WebhookWriter>>;
