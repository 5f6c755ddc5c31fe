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
import { keyOf } from '../sql/row-key.ts';
import { insertInto } from '../sql/statements.ts';
import { type Database, events, type Row } from '../sql/tables.ts';
import { HASH_PREFIX, lastSealed } from './seals.ts';

/** Which filters are asked for. */
type Shape = {
  order: 'asc' | 'desc';
  paged: boolean;
  bounded: boolean;
  ofIntent: boolean;
  ofActor: boolean;
  from: boolean;
  to: boolean;
  types: number;
};

type FilterParams = {
  projectId: string;
  afterSeq: number;
  throughSeq: number;
  intentId: string;
  actor: string;
  from: string;
  to: string;
  limit: number;
} & { [type: `type${number}`]: Row<'events'>['type'] };

const listRows = prepareShapes((db, $: FilterParams, shape: Shape) => {
  let rows = db
    .selectFrom('events')
    .selectAll()
    .where('project_key', '=', keyOf('projects', $.projectId))
    .orderBy('seq', shape.order)
    .limit($.limit);
  // An index takes one bound on each side: where a page names its own end, it shall be that one.
  const sealed = expressionBuilder<Database, 'events'>();
  const ends = shape.order === 'desc' ? shape.paged : shape.bounded;
  const position = ends ? sealed('seq', '+', 0) : sealed.ref('seq');
  rows = rows.where(sealed(position, '<=', lastSealed($.projectId)));
  if (shape.paged) rows = rows.where('seq', shape.order === 'asc' ? '>' : '<', $.afterSeq);
  if (shape.bounded) rows = rows.where('seq', shape.order === 'asc' ? '<=' : '>=', $.throughSeq);
  if (shape.ofIntent) rows = rows.where('intent_key', '=', keyOf('intents', $.intentId));
  if (shape.ofActor) {
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

const findSealOver = prepare((db, $: { projectId: string; seq: number }) =>
  db
    .selectFrom('seals')
    .selectAll()
    .where('project_id', '=', $.projectId)
    .where('last_seq', '>=', $.seq)
    .orderBy('last_seq')
    .limit(1),
);

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

export const auditReads: OverRunner<Pick<AuditReader, 'listSealedEvents' | 'listLatestEventIds'>> = {
  async listLatestEventIds(run, projectId, limit) {
    return (await run.all(listLatestIds, { projectId, limit })).map(({ id }) => id);
  },

  async listSealedEvents(run, filter) {
    const rows = await run.all(listRows(toShape(filter)), toFilterParams(filter));
    const sealed: SealedEvent[] = [];
    let seal: Row<'seals'> | undefined;
    for (const row of rows) {
      if (!seal || !covers(seal, row.seq)) {
        seal = await run.first(findSealOver, { projectId: filter.projectId, seq: row.seq });
      }
      sealed.push(toSealedEvent(row, seal));
    }
    return sealed;
  },
};

export const auditWrites: OverRunner<Pick<AuditWriter, 'insertEvent'>> = {
  insertEvent: (run, event) => insert(run, toNewEvent(event)),
};

function toShape(filter: AuditFilter): Shape {
  return {
    order: filter.order,
    paged: filter.afterSeq !== undefined,
    bounded: filter.throughSeq !== undefined,
    ofIntent: filter.intentId !== undefined,
    ofActor: filter.actor !== undefined,
    from: filter.from !== undefined,
    to: filter.to !== undefined,
    types: filter.types?.length ?? 0,
  };
}

/** What is not asked for is not in the query of that shape. */
function toFilterParams(filter: AuditFilter): FilterParams {
  return {
    projectId: filter.projectId,
    afterSeq: filter.afterSeq ?? 0,
    throughSeq: filter.throughSeq ?? 0,
    intentId: filter.intentId ?? '',
    actor: filter.actor ?? '',
    from: filter.from ?? '',
    to: filter.to ?? '',
    limit: filter.limit,
    ...Object.fromEntries((filter.types ?? []).map((type, index) => [`type${index}`, type] as const)),
  };
}

export function toNewEvent(event: AuditEvent) {
  const { type, id, display } = event.actor;
  return { ...event, actorType: type, actorId: id, actorDisplay: display };
}

const HASH_DIGITS = 64;

function covers(seal: Row<'seals'>, seq: number): boolean {
  return seal.first_seq <= seq && seq <= seal.last_seq;
}

/** Hash of the record at `seq`, empty where there is none: such a record must be seen, and must not verify. */
function hashAt(seal: Row<'seals'>, seq: number): string {
  if (seq === seal.first_seq - 1) return seal.prev_hash;
  const start = (seq - seal.first_seq) * HASH_DIGITS;
  const digits = covers(seal, seq) ? seal.hashes.slice(start, start + HASH_DIGITS) : '';
  return digits === '' ? '' : `${HASH_PREFIX}${digits}`;
}

function toSealedEvent(row: Row<'events'>, seal: Row<'seals'> | undefined): SealedEvent {
  return Object.assign(events.toObject(row), {
    actor: { type: row.actor_type, id: row.actor_id, display: row.actor_display },
    seq: row.seq,
    prevHash: seal ? hashAt(seal, row.seq - 1) : '',
    hash: seal ? hashAt(seal, row.seq) : '',
  });
}
