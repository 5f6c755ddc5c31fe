/** Owns the outbox: what is to be sent to whom, and the way of each delivery. Held by one gate at a time. */
import { expressionBuilder, sql } from 'kysely';
import type {
  AttemptRecord,
  Channel,
  Delivery,
  OutboxReader,
  OutboxWriter,
} from '../../gate/outbox/delivery.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { rowsOf } from '../sql/read-statements.ts';
import { type Database, deliveries, type Row } from '../sql/tables.ts';
import { change, insertOnce, type Update, updateWhere } from '../sql/write-statements.ts';

type Target = { channel: Channel; target: string };

/** A webhook receives the events of an intent in their order. People are notified of each thing as it happens. */
const IN_ORDER: Channel = 'webhook';

export const toDelivery = (row: Row<'deliveries'>): Delivery => ({
  ...deliveries.toObject(row),
  position: row.seq,
});

const due = rowsOf(
  deliveries,
  (rows, $: { channel: Channel; target?: string; now: string; limit: number }) => {
    const found = rows
      .where('channel', '=', $.channel)
      .where('state', '=', sql.lit('waiting'))
      .where('due_at', '<=', $.now)
      .orderBy('due_at')
      .limit($.limit);
    return $.target === undefined
      ? found.where('channel', '<>', sql.lit('webhook'))
      : found.where('target', '=', $.target);
  },
  toDelivery,
);

const overdue = rowsOf(
  deliveries,
  (rows, $: { channel: Channel; before: string; now: string; limit: number }) =>
    rows
      .where('channel', '=', $.channel)
      .where('state', '=', sql.lit('waiting'))
      .where('created_at', '<', $.before)
      .where((eb) => eb.or([eb('leased_by', 'is', null), eb('due_at', '<=', $.now)]))
      .orderBy('created_at')
      .orderBy('seq')
      .limit($.limit),
  toDelivery,
);

const listWaiting = prepare((db, $: Target & { most: number }) =>
  db
    .selectFrom('deliveries')
    .select('seq')
    .where('channel', '=', $.channel)
    .where('target', '=', $.target)
    .where('state', '=', sql.lit('waiting'))
    .limit($.most),
);

const findLastSent = prepare((db, $: Target) =>
  db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max('done_at').as('at'))
    .where('channel', '=', $.channel)
    .where('channel', '<>', sql.lit('webhook'))
    .where('target', '=', $.target)
    .where('state', '=', sql.lit('delivered')),
);

type Lane = { target: string; intentId: string };

function waitingIn({ target, intentId }: Lane) {
  return expressionBuilder<Database>()
    .selectFrom('deliveries as lane')
    .where('lane.channel', '=', sql.lit(IN_ORDER))
    .where('lane.target', '=', target)
    .where('lane.intent_id', '=', intentId)
    .where('lane.state', '=', sql.lit('waiting'));
}

/**
 * Marks the last waiting delivery of the intent as followed; a gate that finishes it now waits for this row. Not guarded:
 * mostly there is none, which would undo what it is committed with.
 */
const follow = change((db, $: Lane) =>
  db
    .updateTable('deliveries')
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
    .updateTable('deliveries')
    .set({ due_at: $.at })
    .where('state', '=', 'waiting')
    .where('due_at', 'is', null)
    .where(
      'seq',
      '=',
      waitingIn($).select((of) => of.fn.min('lane.seq').as('first')),
    ),
);

const insert = insertOnce(deliveries);

// Not guarded: of two gates that claim at once, the second would undo what it is committed with.
const lease = change((db, $: { position: number; by: string; now: string; until: string }) =>
  db
    .updateTable('deliveries')
    .set({ leased_by: $.by, due_at: $.until })
    .where('seq', '=', $.position)
    .where('state', '=', 'waiting')
    .where('due_at', '<=', $.now),
);

const OUTCOME = ['dueAt', 'leasedBy', 'attempts', 'attemptCount', 'lastStatus', 'lastError'] as const;

const whileHeld = (rows: Update<'deliveries'>, $: { position: number; by: string }) =>
  rows.where('seq', '=', $.position).where('state', '=', 'waiting').where('leased_by', '=', $.by);

const release = updateWhere(deliveries, ['dueAt', 'leasedBy'], whileHeld);
const postpone = updateWhere(deliveries, OUTCOME, whileHeld);
const finish = updateWhere(deliveries, ['state', 'doneAt', ...OUTCOME], whileHeld);

const finishUnleased = updateWhere(
  deliveries,
  ['state', 'doneAt', ...OUTCOME],
  (rows, $: { position: number; at: string }) =>
    rows
      .where('seq', '=', $.position)
      .where('state', '=', 'waiting')
      .where((eb) => eb.or([eb('leased_by', 'is', null), eb('due_at', '<=', $.at)])),
);

const deleteDone = change((db, $: { channel: Channel; before: string; limit: number }) =>
  db
    .deleteFrom('deliveries')
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('deliveries as old')
        .select('old.seq')
        .where('old.channel', '=', $.channel)
        .where('old.done_at', 'is not', null)
        .where('old.done_at', '<', $.before)
        .orderBy('old.done_at')
        .limit($.limit),
    ),
);

function recorded({ attempts, attemptCount, lastStatus, lastError }: AttemptRecord) {
  return { attempts, attemptCount, lastStatus, lastError, leasedBy: null };
}

export const outboxQueries = {
  listDueDeliveries: (run, of) => due.all(run, of),

  listOverdueDeliveries: (run, channel, before, now, limit) =>
    overdue.all(run, { channel, before, now, limit }),

  countWaitingFor: async (run, channel, target, most) =>
    (await run.all(listWaiting, { channel, target, most })).length,

  findLastSentAt: async (run, channel, target) =>
    (await run.first(findLastSent, { channel, target }))?.at ?? undefined,

  async insertDelivery(run, delivery) {
    const { channel, target, intentId } = delivery;
    const isBehind =
      channel === IN_ORDER && intentId !== null && (await follow(run, { target, intentId })) === 1;
    return insert(run, {
      ...delivery,
      state: 'waiting',
      dueAt: isBehind ? null : delivery.dueAt,
      attempts: [],
      attemptCount: 0,
      lastStatus: null,
      lastError: null,
      doneAt: null,
    });
  },

  leaseDelivery: async (run, position, by, now, until) =>
    (await lease(run, { position, by, now, until })) === 1,

  async finishDelivery(run, { position, channel, target, intentId }, by, state, at, record) {
    const outcome = { ...recorded(record), position, state, doneAt: at, dueAt: null };
    const finished = await (by === null
      ? finishUnleased(run, { ...outcome, at })
      : finish(run, { ...outcome, by }));
    if (finished && channel === IN_ORDER && intentId !== null)
      await releaseNext(run, { target, intentId, at });
    return finished;
  },

  postponeDelivery: (run, position, by, dueAt, record) =>
    postpone(run, { ...recorded(record), position, by, dueAt }),

  releaseDelivery: (run, position, by, dueAt) => release(run, { position, by, dueAt, leasedBy: null }),

  deleteDoneDeliveries: (run, channel, before, limit) => deleteDone(run, { channel, before, limit }),
} satisfies Partial<OverRunner<OutboxReader & OutboxWriter>>;
