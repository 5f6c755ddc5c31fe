/**
 * Owns the lifecycle of deliveries: those of one intent in order, all others when due. One gate at a time holds a
 * delivery.
 */
import { expressionBuilder, sql } from 'kysely';
import type { WebhookWriter } from '../../gate/webhooks/webhook.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { type Database, webhookDeliveries } from '../sql/tables.ts';
import { change, insertOnce, type Update, updateWhere } from '../sql/write-statements.ts';

type Lane = { projectId: string; webhookId: string; intentId: string };

function waitingIn({ projectId, webhookId, intentId }: Lane) {
  return expressionBuilder<Database>()
    .selectFrom('webhook_deliveries as lane')
    .where('lane.project_id', '=', projectId)
    .where('lane.webhook_id', '=', webhookId)
    .where('lane.intent_id', '=', intentId)
    .where('lane.state', '=', sql.lit('waiting'));
}

/**
 * Marks the last waiting delivery of the intent as followed. A gate that finishes it now waits for this row. Not
 * guarded: mostly there is none, which would undo the rest of the transaction.
 */
const follow = change((db, $: Lane) =>
  db
    .updateTable('webhook_deliveries')
    .set({ followed: 1 })
    .where('state', '=', 'waiting')
    .where(
      'seq',
      '=',
      waitingIn($).select((of) => of.fn.max('lane.seq').as('last')),
    ),
);

const releaseNext = change((db, $: Lane & { at: string }) =>
  db
    .updateTable('webhook_deliveries')
    .set({ due_at: $.at })
    .where('state', '=', 'waiting')
    .where('due_at', 'is', null)
    .where(
      'seq',
      '=',
      waitingIn($).select((of) => of.fn.min('lane.seq').as('first')),
    ),
);

const insert = insertOnce(webhookDeliveries);

// Not guarded: when two gates claim at once, the second would undo the rest of its transaction.
const lease = change((db, $: { position: number; by: string; now: string; until: string }) =>
  db
    .updateTable('webhook_deliveries')
    .set({ leased_by: $.by, due_at: $.until })
    .where('seq', '=', $.position)
    .where('state', '=', 'waiting')
    .where('due_at', '<=', $.now),
);

const OUTCOME = ['dueAt', 'leasedBy', 'attempts', 'attemptCount', 'lastStatus', 'lastError'] as const;

const whileHeld = (rows: Update<'webhook_deliveries'>, $: { position: number; by: string }) =>
  rows.where('seq', '=', $.position).where('state', '=', 'waiting').where('leased_by', '=', $.by);

const release = updateWhere(webhookDeliveries, ['dueAt', 'leasedBy'], whileHeld);
const postpone = updateWhere(webhookDeliveries, OUTCOME, whileHeld);
const finish = updateWhere(webhookDeliveries, ['state', 'doneAt', ...OUTCOME], whileHeld);

const finishUnleased = updateWhere(
  webhookDeliveries,
  ['state', 'doneAt', ...OUTCOME],
  (rows, $: { position: number; at: string }) =>
    rows
      .where('seq', '=', $.position)
      .where('state', '=', 'waiting')
      .where((eb) => eb.or([eb('leased_by', 'is', null), eb('due_at', '<=', $.at)])),
);

export const deliveryTransitions = {
  async insertDelivery(run, delivery) {
    const { projectId, webhookId, intentId } = delivery;
    const behind = intentId !== null && (await follow(run, { projectId, webhookId, intentId })) === 1;
    return insert(run, {
      ...delivery,
      state: 'waiting',
      dueAt: behind ? null : delivery.createdAt,
      attemptCount: 0,
      attempts: [],
      lastStatus: null,
      lastError: null,
      doneAt: null,
    });
  },

  leaseDelivery: async (run, position, by, now, until) =>
    (await lease(run, { position, by, now, until })) === 1,

  async finishDelivery(run, { position, projectId, webhookId, intentId }, by, state, at, record) {
    const outcome = { ...record, position, state, doneAt: at, dueAt: null, leasedBy: null };
    const finished = await (by === null
      ? finishUnleased(run, { ...outcome, at })
      : finish(run, { ...outcome, by }));
    if (finished && intentId !== null) await releaseNext(run, { projectId, webhookId, intentId, at });
    return finished;
  },

  postponeDelivery: (run, position, by, dueAt, record) =>
    postpone(run, { ...record, position, by, dueAt, leasedBy: null }),

  releaseDelivery: (run, position, by, dueAt) => release(run, { position, by, dueAt, leasedBy: null }),
} satisfies Partial<OverRunner<WebhookWriter>>;
