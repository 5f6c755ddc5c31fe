/** Owns the events: written with their change, read once they are sealed. */
import { expressionBuilder } from 'kysely';
import type {
  AuditEvent,
  AuditFilter,
  AuditReader,
  AuditWriter,
  SealedEvent,
} from '../../gate/audit/audit-event.ts';
import { type OverRunner, prepare, prepareShapes } from '../sql/prepared-query.ts';
import { rowsOf } from '../sql/read-statements.ts';
import { keyOf } from '../sql/row-key.ts';
import type { ObjectOf } from '../sql/table.ts';
import { type Database, events, type Row, seals } from '../sql/tables.ts';
import { insertInto } from '../sql/write-statements.ts';
import { HASH_PREFIX, lastSealed } from './seals.ts';

/** Which filters are asked for. */
type Shape = { order: 'asc' | 'desc'; types: number } & Record<keyof typeof NO_FILTER, boolean>;

const NO_FILTER = { afterSeq: 0, throughSeq: 0, intentId: '', actor: '', from: '', to: '' };

type FilterParams = typeof NO_FILTER & { projectId: string; limit: number } & {
  [type: `type${number}`]: Row<'events'>['type'];
};

const listRows = prepareShapes((db, $: FilterParams, shape: Shape) => {
  let rows = db
    .selectFrom('events')
    .select(events.names)
    .where('project_key', '=', keyOf('projects', $.projectId))
    .orderBy('seq', shape.order)
    .limit($.limit);
  // An index takes one bound on each side: where a page names its own end, it shall be that one.
  const sealed = expressionBuilder<Database, 'events'>();
  const ends = shape.order === 'desc' ? shape.afterSeq : shape.throughSeq;
  const position = ends ? sealed('seq', '+', 0) : sealed.ref('seq');
  rows = rows.where(sealed(position, '<=', lastSealed($.projectId)));
  if (shape.afterSeq) rows = rows.where('seq', shape.order === 'asc' ? '>' : '<', $.afterSeq);
  if (shape.throughSeq) rows = rows.where('seq', shape.order === 'asc' ? '<=' : '>=', $.throughSeq);
  if (shape.intentId) rows = rows.where('intent_key', '=', keyOf('intents', $.intentId));
  if (shape.actor) {
    rows = rows.where((eb) => eb.or([eb('actor_id', '=', $.actor), eb('actor_display', '=', $.actor)]));
  }
  if (shape.from) rows = rows.where('occurred_at', '>=', $.from);
  if (shape.to) rows = rows.where('occurred_at', '<', $.to);
  if (shape.types > 0) {
    rows = rows.where(
      'type',
      'in',
      Array.from({ length: shape.types }, (_, index) => $[`type${index}`]).filter(
        (type) => type !== undefined,
      ),
    );
  }
  return rows;
});

const sealOver = rowsOf(seals, (rows, $: { projectId: string; seq: number }) =>
  rows.where('project_id', '=', $.projectId).where('last_seq', '>=', $.seq).orderBy('last_seq').limit(1),
);

type StoredSeal = ObjectOf<typeof seals.columns>;

/** The numbers of an event's project and of its intent. */
export function keysOfEvent($: Pick<Row<'events'>, 'project_id' | 'intent_id'>) {
  return { project_key: keyOf('projects', $.project_id), intent_key: keyOf('intents', $.intent_id) };
}

// Writers of a project stand in a row here already, so the place after the last is nobody else's.
const insert = insertInto(events, ($) => ({
  ...keysOfEvent($),
  seq: expressionBuilder<Database>()
    .selectFrom('events')
    .select((last) => last(last.fn.coalesce(last.fn.max('seq'), last.lit(0)), '+', 1).as('next'))
    .where('project_key', '=', keyOf('projects', $.project_id)),
}));

const listLatestIds = prepare((db, $: { projectId: string; limit: number }) =>
  db
    .selectFrom('events')
    .select('id')
    .where('project_key', '=', keyOf('projects', $.projectId))
    .orderBy('position', 'desc')
    .limit($.limit),
);

export const auditQueries = {
  listLatestEventIds: async (run, projectId, limit) =>
    (await run.all(listLatestIds, { projectId, limit })).map(({ id }) => id),

  async listSealedEvents(run, filter) {
    const rows = await run.all(listRows(toShape(filter)), toFilterParams(filter));
    const sealed: SealedEvent[] = [];
    let seal: StoredSeal | undefined;
    for (const row of rows) {
      if (!seal || !covers(seal, row.seq)) {
        seal = await sealOver.first(run, { projectId: filter.projectId, seq: row.seq });
      }
      sealed.push(toSealedEvent(row, seal));
    }
    return sealed;
  },

  insertEvent: (run, event) => insert(run, toNewEvent(event)),
} satisfies Partial<OverRunner<AuditReader & AuditWriter>>;

function toShape(filter: AuditFilter): Shape {
  return {
    order: filter.order,
    types: filter.types?.length ?? 0,
    afterSeq: filter.afterSeq !== undefined,
    throughSeq: filter.throughSeq !== undefined,
    intentId: filter.intentId !== undefined,
    actor: filter.actor !== undefined,
    from: filter.from !== undefined,
    to: filter.to !== undefined,
  };
}

/** Filters that are not asked for are not in the SQL of that shape; their values are placeholders. */
function toFilterParams(filter: AuditFilter): FilterParams {
  const types = (filter.types ?? []).map((type, index) => [`type${index}`, type] as const);
  return { ...NO_FILTER, ...filter, ...Object.fromEntries(types) };
}

export function toNewEvent(event: AuditEvent) {
  const { type, id, display } = event.actor;
  return { ...event, actorType: type, actorId: id, actorDisplay: display };
}

const HASH_DIGITS = 64;

function covers(seal: StoredSeal, seq: number): boolean {
  return seal.firstSeq <= seq && seq <= seal.lastSeq;
}

/** Hash of the record at `seq`, empty where there is none: such a record must be seen, and must not verify. */
function hashAt(seal: StoredSeal, seq: number): string {
  if (seq === seal.firstSeq - 1) return seal.prevHash;
  const start = (seq - seal.firstSeq) * HASH_DIGITS;
  const digits = covers(seal, seq) ? seal.hashes.slice(start, start + HASH_DIGITS) : '';
  return digits === '' ? '' : `${HASH_PREFIX}${digits}`;
}

function toSealedEvent(row: Row<'events'>, seal: StoredSeal | undefined): SealedEvent {
  return Object.assign(events.toObject(row), {
    actor: { type: row.actor_type, id: row.actor_id, display: row.actor_display },
    seq: row.seq,
    prevHash: seal ? hashAt(seal, row.seq - 1) : '',
    hash: seal ? hashAt(seal, row.seq) : '',
  });
}
