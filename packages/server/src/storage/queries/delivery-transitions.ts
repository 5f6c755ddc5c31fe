/** Owns the way of a delivery: of one intent one after another, everything else as it is due; held by one gate at a time. */
import { expressionBuilder, sql } from 'kysely';
import type { AttemptRecord, WebhookWriter } from '../../gate/webhooks/webhook.ts';
import { toJson } from '../sql/column.ts';
import { type OverRunner, prepare, prepareShapes } from '../sql/prepared-query.ts';
import type { Database, NewRow } from '../sql/tables.ts';

type Lane = { projectId: string; webhookId: string; intentId: string };

function waitingIn({ projectId, webhookId, intentId }: Lane) {
  return expressionBuilder<Database>()
    .selectFrom('webhook_deliveries as lane')
    .where('lane.project_id', '=', projectId)
    .where('lane.webhook_id', '=', webhookId)
    .where('lane.intent_id', '=', intentId)
    .where('lane.state', '=', sql.lit('waiting'));
}

/** The last one of the intent that waits there is followed from now on: whoever ends it at this instant waits for us. */
const followRow = prepare((db, $: Lane) =>
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

const releaseNextRow = prepare((db, $: Lane & { at: string }) =>
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

type DeliveryToInsert = Omit<
  NewRow<'webhook_deliveries'>,
  'state' | 'leased_by' | 'followed' | 'attempt_count' | 'attempts' | 'last_status' | 'last_error' | 'done_at'
>;

const insertRow = prepare((db, $: DeliveryToInsert) =>
  db
    .insertInto('webhook_deliveries')
    .values({
      id: $.id,
      project_id: $.project_id,
      webhook_id: $.webhook_id,
      kind: $.kind,
      replay_id: $.replay_id,
      event_id: $.event_id,
      event_seq: $.event_seq,
      event_type: $.event_type,
      intent_id: $.intent_id,
      state: 'waiting',
      created_at: $.created_at,
      due_at: $.due_at,
      leased_by: null,
      followed: 0,
      attempt_count: 0,
      attempts: '[]',
      last_status: null,
      last_error: null,
      done_at: null,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

const leaseRow = prepare((db, $: { position: number; by: string; now: string; until: string }) =>
  db
    .updateTable('webhook_deliveries')
    .set({ leased_by: $.by, due_at: $.until })
    .where('seq', '=', $.position)
    .where('state', '=', 'waiting')
    .where('due_at', '<=', $.now),
);

type Outcome = {
  position: number;
  by: string;
  attempts: string;
  count: number;
  status: number | null;
  error: string | null;
};

const finishRow = prepareShapes(
  (db, $: Outcome & { state: 'delivered' | 'failed'; at: string }, shape: { isLeased: boolean }) => {
    const row = db
      .updateTable('webhook_deliveries')
      .set({
        state: $.state,
        done_at: $.at,
        due_at: null,
        leased_by: null,
        attempts: $.attempts,
        attempt_count: $.count,
        last_status: $.status,
        last_error: $.error,
      })
      .where('seq', '=', $.position)
      .where('state', '=', 'waiting');
    if (shape.isLeased) return row.where('leased_by', '=', $.by);
    return row.where((eb) => eb.or([eb('leased_by', 'is', null), eb('due_at', '<=', $.at)]));
  },
);

const postponeRow = prepare((db, $: Outcome & { dueAt: string }) =>
  db
    .updateTable('webhook_deliveries')
    .set({
      due_at: $.dueAt,
      leased_by: null,
      attempts: $.attempts,
      attempt_count: $.count,
      last_status: $.status,
      last_error: $.error,
    })
    .where('seq', '=', $.position)
    .where('state', '=', 'waiting')
    .where('leased_by', '=', $.by),
);

const releaseRow = prepare((db, $: { position: number; by: string; dueAt: string }) =>
  db
    .updateTable('webhook_deliveries')
    .set({ due_at: $.dueAt, leased_by: null })
    .where('seq', '=', $.position)
    .where('state', '=', 'waiting')
    .where('leased_by', '=', $.by),
);

type Writes = Pick<
  WebhookWriter,
  'insertDelivery' | 'leaseDelivery' | 'finishDelivery' | 'postponeDelivery' | 'releaseDelivery'
>;

export const deliveryTransitions: OverRunner<Writes> = {
  async insertDelivery(run, delivery) {
    const { projectId, webhookId, intentId } = delivery;
    const behind =
      intentId !== null && (await run.change(followRow, { projectId, webhookId, intentId })) === 1;
    const inserted = await run.change(insertRow, {
      id: delivery.id,
      project_id: projectId,
      webhook_id: webhookId,
      kind: delivery.kind,
      replay_id: delivery.replayId,
      event_id: delivery.eventId,
      event_seq: delivery.eventSeq,
      event_type: delivery.eventType,
      intent_id: intentId,
      created_at: delivery.createdAt,
      due_at: behind ? null : delivery.createdAt,
    });
    return inserted === 1;
  },

  async leaseDelivery(run, position, by, now, until) {
    return (await run.change(leaseRow, { position, by, now, until })) === 1;
  },

  async finishDelivery(run, { position, projectId, webhookId, intentId }, by, state, at, record) {
    const query = finishRow({ isLeased: by !== null });
    const outcome = { ...toOutcome(position, by ?? '', record), state, at };
    if ((await run.change(query, outcome)) === 0) return false;
    if (intentId !== null) await run.change(releaseNextRow, { projectId, webhookId, intentId, at });
    return true;
  },

  async postponeDelivery(run, position, by, dueAt, record) {
    return (await run.change(postponeRow, { ...toOutcome(position, by, record), dueAt })) === 1;
  },

  async releaseDelivery(run, position, by, dueAt) {
    return (await run.change(releaseRow, { position, by, dueAt })) === 1;
  },
};

function toOutcome(
  position: number,
  by: string,
  { attempts, attemptCount, lastStatus, lastError }: AttemptRecord,
): Outcome {
  return {
    position,
    by,
    attempts: toJson(attempts),
    count: attemptCount,
    status: lastStatus,
    error: lastError,
  };
}
