/** Owns the events and the chain they are sealed into. */
import type {
  AuditEvent,
  AuditFilter,
  AuditReader,
  AuditWriter,
  ChainHead,
  SealedEvent,
} from '../../gate/audit/audit-event.ts';
import { fromJson, toJson } from './json.ts';
import { type OverRunner, prepare, prepareShapes } from './prepared-query.ts';
import type { NewRow, Row } from './tables.ts';

/** Which filters are asked for. */
type Shape = {
  order: 'asc' | 'desc';
  paged: boolean;
  ofIntent: boolean;
  ofActor: boolean;
  from: boolean;
  to: boolean;
  types: number;
};

type FilterParams = {
  projectId: string;
  afterSeq: number;
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
    .where('project_id', '=', $.projectId)
    .where('chain_seq', 'is not', null)
    .orderBy('chain_seq', shape.order)
    .limit($.limit);
  if (shape.paged) rows = rows.where('chain_seq', shape.order === 'asc' ? '>' : '<', $.afterSeq);
  if (shape.ofIntent) rows = rows.where('intent_id', '=', $.intentId);
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

const findHead = prepare((db, $: { projectId: string }) =>
  db.selectFrom('chain_heads').selectAll().where('project_id', '=', $.projectId),
);

const countUnsealed = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', $.projectId)
    .where('chain_seq', 'is', null),
);

const listUnsealedProjectIds = prepare((db) =>
  db.selectFrom('events').select('project_id').distinct().where('chain_seq', 'is', null),
);

const listUnsealed = prepare((db, $: { projectId: string; limit: number }) =>
  db
    .selectFrom('events')
    .select(['position', 'event_hash'])
    .where('project_id', '=', $.projectId)
    .where('chain_seq', 'is', null)
    .orderBy('position')
    .limit($.limit),
);

type Unsealed = Omit<NewRow<'events'>, 'chain_seq' | 'prev_hash' | 'hash'>;

const insertRow = prepare((db, $: Unsealed) =>
  db.insertInto('events').values({
    id: $.id,
    project_id: $.project_id,
    type: $.type,
    occurred_at: $.occurred_at,
    actor_type: $.actor_type,
    actor_id: $.actor_id,
    actor_display: $.actor_display,
    intent_id: $.intent_id,
    data: $.data,
    commitments: $.commitments,
    event_hash: $.event_hash,
  }),
);

const sealRow = prepare((db, $: { position: number; seq: number; prevHash: string; hash: string }) =>
  db
    .updateTable('events')
    .set({ chain_seq: $.seq, prev_hash: $.prevHash, hash: $.hash })
    .where('position', '=', $.position)
    .where('chain_seq', 'is', null),
);

const saveHead = prepare((db, $: Row<'chain_heads'>) =>
  db
    .insertInto('chain_heads')
    .values({ project_id: $.project_id, seq: $.seq, hash: $.hash, sealed_at: $.sealed_at, jws: $.jws })
    .onConflict((conflict) =>
      conflict
        .column('project_id')
        .doUpdateSet({ seq: $.seq, hash: $.hash, sealed_at: $.sealed_at, jws: $.jws }),
    ),
);

export const auditReads: OverRunner<AuditReader> = {
  async listSealedEvents(run, filter) {
    return (await run.all(listRows(toShape(filter)), toFilterParams(filter))).flatMap(toSealedEvent);
  },

  async findChainHead(run, projectId) {
    const row = await run.first(findHead, { projectId });
    return row && toChainHead(row);
  },

  async listUnsealedEvents(run, projectId, limit) {
    const rows = await run.all(listUnsealed, { projectId, limit });
    return rows.map((row) => ({ position: row.position, eventHash: row.event_hash }));
  },

  async countUnsealedEvents(run, projectId) {
    return (await run.first(countUnsealed, { projectId }))?.count ?? 0;
  },

  async listUnsealedProjects(run) {
    return (await run.all(listUnsealedProjectIds, {})).map((row) => row.project_id);
  },
};

export const auditWrites: OverRunner<AuditWriter> = {
  async insertEvent(run, event) {
    await run.change(insertRow, toEventRow(event));
  },

  async sealEvent(run, position, seal) {
    const sealed = await run.change(sealRow, { position, ...seal });
    // Two sealers at work on one project must end here, not in a forked chain.
    if (sealed !== 1) throw new Error(`event ${position} is not there to be sealed, or is sealed already`);
  },

  async saveChainHead(run, head) {
    await run.change(saveHead, {
      project_id: head.projectId,
      seq: head.seq,
      hash: head.hash,
      sealed_at: head.sealedAt,
      jws: head.jws,
    });
  },
};

function toShape(filter: AuditFilter): Shape {
  return {
    order: filter.order,
    paged: filter.afterSeq !== undefined,
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
    intentId: filter.intentId ?? '',
    actor: filter.actor ?? '',
    from: filter.from ?? '',
    to: filter.to ?? '',
    limit: filter.limit,
    ...Object.fromEntries((filter.types ?? []).map((type, index) => [`type${index}`, type] as const)),
  };
}

function toEventRow(event: AuditEvent): Unsealed {
  return {
    id: event.id,
    project_id: event.projectId,
    type: event.type,
    occurred_at: event.occurredAt,
    actor_type: event.actor.type,
    actor_id: event.actor.id,
    actor_display: event.actor.display,
    intent_id: event.intentId,
    data: toJson(event.data),
    commitments: toJson(event.commitments),
    event_hash: event.eventHash,
  };
}

function toSealedEvent(row: Row<'events'>): SealedEvent[] {
  if (row.chain_seq === null || row.prev_hash === null || row.hash === null) return [];
  return [
    {
      id: row.id,
      projectId: row.project_id,
      type: row.type,
      occurredAt: row.occurred_at,
      actor: { type: row.actor_type, id: row.actor_id, display: row.actor_display },
      intentId: row.intent_id,
      data: fromJson(row.data),
      commitments: fromJson(row.commitments),
      eventHash: row.event_hash,
      seq: row.chain_seq,
      prevHash: row.prev_hash,
      hash: row.hash,
    },
  ];
}

function toChainHead(row: Row<'chain_heads'>): ChainHead {
  return {
    projectId: row.project_id,
    seq: row.seq,
    hash: row.hash,
    sealedAt: row.sealed_at,
    jws: row.jws,
  };
}
