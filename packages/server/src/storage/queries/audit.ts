/** Owns the events, written with their change and read once they are sealed. */
import { expressionBuilder } from 'kysely';
import type {
  AuditEvent,
  AuditFilter,
  AuditReader,
  AuditWriter,
  SealedEvent,
} from '../../gate/audit/audit-event.ts';
import { type OverRunner, prepare, prepareGiven } from '../sql/prepared-query.ts';
import { rowsOf } from '../sql/read-statements.ts';
import { keyOf } from '../sql/row-key.ts';
import type { ObjectOf } from '../sql/table.ts';
import { type Database, events, type Row, seals } from '../sql/tables.ts';
import { insertInto } from '../sql/write-statements.ts';
import { HASH_PREFIX, lastSealed } from './seals.ts';

/** `type0`, `type1`, …: the requested types. */
type FilterParams = Omit<AuditFilter, 'types' | 'order'> & { [type: `type${number}`]: AuditEvent['type'] };

const rowsIn = (order: AuditFilter['order']) =>
  prepareGiven((db, $: FilterParams) => {
    const { projectId, afterSeq, throughSeq, intentId, actor, from, to, limit, ...types } = $;
    const eb = expressionBuilder<Database, 'events'>();
    // No index covers a sum, so `+ 0` rules out the project's index. The few events of an intent must be found by the
    // intent.
    const project = intentId === undefined ? eb.ref('project_key') : eb('project_key', '+', 0);
    // An index search uses one upper bound. If the page has its own, `+ 0` leaves the last sealed place to a filter.
    const end = order === 'desc' ? afterSeq : throughSeq;
    const position = end === undefined ? eb.ref('seq') : eb('seq', '+', 0);
    let rows = db
      .selectFrom('events')
      .select(events.names)
      .where(eb(project, '=', keyOf('projects', projectId)))
      .where(eb(position, '<=', lastSealed(projectId)))
      .orderBy('seq', order)
      .limit(limit);
    if (afterSeq !== undefined) rows = rows.where('seq', order === 'asc' ? '>' : '<', afterSeq);
    if (throughSeq !== undefined) rows = rows.where('seq', order === 'asc' ? '<=' : '>=', throughSeq);
    if (intentId !== undefined) rows = rows.where('intent_key', '=', keyOf('intents', intentId));
    if (actor !== undefined) {
      rows = rows.where(eb.or([eb('actor_id', '=', actor), eb('actor_display', '=', actor)]));
    }
    if (from !== undefined) rows = rows.where('occurred_at', '>=', from);
    if (to !== undefined) rows = rows.where('occurred_at', '<', to);
    const asked = Object.values(types);
    return asked.length > 0 ? rows.where('type', 'in', asked) : rows;
  });

const listRows = { asc: rowsIn('asc'), desc: rowsIn('desc') };

const sealOver = rowsOf(seals, (rows, $: { projectId: string; seq: number }) =>
  rows.where('project_id', '=', $.projectId).where('last_seq', '>=', $.seq).orderBy('last_seq').limit(1),
);

type StoredSeal = ObjectOf<typeof seals.columns>;

/** The row numbers of an event's project and of its intent. */
export function keysOfEvent($: Pick<Row<'events'>, 'project_id' | 'intent_id'>) {
  return { project_key: keyOf('projects', $.project_id), intent_key: keyOf('intents', $.intent_id) };
}

// Only for SQLite, where the writers of a project queue, so no other one takes the place after the last.
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

  async listSealedEvents(run, { order, types = [], ...filter }) {
    const params = { ...filter, ...Object.fromEntries(types.map((type, index) => [`type${index}`, type])) };
    const rows = await run.all(listRows[order](params), params);
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

export function toNewEvent(event: AuditEvent) {
  const { type, id, display } = event.actor;
  return { ...event, actorType: type, actorId: id, actorDisplay: display };
}

const HASH_DIGITS = 64;

function covers(seal: StoredSeal, seq: number): boolean {
  return seal.firstSeq <= seq && seq <= seal.lastSeq;
}

/** Hash of the record at `seq`. Empty when there is none: such a record must be visible, and must not verify. */
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
