/** Owns the chain into which events are sealed: its ends, its seals, and what is not sealed yet. */
import { type Expression, expressionBuilder } from 'kysely';
import type { AuditReader, AuditWriter, ChainHead, Seal } from '../../gate/audit/audit-event.ts';
import {
  type OverRunner,
  type PreparedQuery,
  prepare,
  prepareShapes,
  type QueryRunner,
} from '../sql/prepared-query.ts';
import { keyOf } from '../sql/row-key.ts';
import type { Database, NewRow, Row } from '../sql/tables.ts';

export const HASH_PREFIX = 'sha256:';

/** The end of what is sealed of the project; 0: nothing is. */
export function lastSealed(projectId: string | Expression<string>) {
  const eb = expressionBuilder<Database>();
  const last = eb.selectFrom('seals').select('last_seq').where('seals.project_id', '=', projectId);
  return eb.fn.coalesce(last.orderBy('last_seq', 'desc').limit(1), eb.lit(0));
}

const findHead = prepare((db, $: { projectId: string }) =>
  db.selectFrom('chain_heads').selectAll().where('project_id', '=', $.projectId),
);

const countUnsealed = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_key', '=', keyOf('projects', $.projectId))
    .where('seq', '>', lastSealed($.projectId)),
);

// Looked for from the projects: a walk along the events would pass by all of them.
const listUnsealedProjectRows = prepare((db) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('projects')
        .select((of) => [
          'projects.id',
          of
            .selectFrom('events')
            .select('events.seq')
            .whereRef('events.project_key', '=', 'projects.seq')
            .where('events.seq', '>', (inner) => lastSealed(inner.ref('projects.id')))
            .orderBy('events.seq')
            .limit(1)
            .as('first_place'),
        ])
        .as('project'),
    )
    .select(['project.id', 'project.first_place'])
    .where('project.first_place', 'is not', null)
    .$narrowType<{ first_place: number }>(),
);

const listUnsealed = prepareShapes(
  (db, $: { projectId: string; limit: number; throughPosition: number }, shape: { bounded: boolean }) => {
    const rows = db
      .selectFrom('events')
      .select(['seq as place', 'seq', 'event_hash'])
      .where('project_key', '=', keyOf('projects', $.projectId))
      .where('seq', '>', lastSealed($.projectId))
      .orderBy('seq')
      .limit($.limit);
    return shape.bounded ? rows.where('seq', '<=', $.throughPosition) : rows;
  },
);

const findLastUnsealed = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('events')
    .select('seq as place')
    .where('project_key', '=', keyOf('projects', $.projectId))
    .where('seq', '>', lastSealed($.projectId))
    .orderBy('seq', 'desc')
    .limit(1),
);

const listHeadsSince = prepare((db, $: { sealedSince: string }) =>
  db.selectFrom('chain_heads').select(['project_id', 'seq']).where('sealed_at', '>=', $.sealedSince),
);

// Nothing is written where the seal does not follow right on the last.
const insertSealRow = prepare((db, $: NewRow<'seals'>) =>
  db
    .insertInto('seals')
    .columns(['project_id', 'first_seq', 'last_seq', 'prev_hash', 'hashes'])
    .expression((eb) =>
      eb
        .selectFrom('projects')
        .select((of) => [
          'id',
          of.val($.first_seq).as('first_seq'),
          of.val($.last_seq).as('last_seq'),
          of.val($.prev_hash).as('prev_hash'),
          of.val($.hashes).as('hashes'),
        ])
        .where('id', '=', $.project_id)
        .where((of) => of(lastSealed($.project_id), '=', of(of.val($.first_seq), '-', of.lit(1)))),
    ),
);

/** The new end of a chain, and the one it takes the place of. */
export type HeadToMove = Row<'chain_heads'> & { before_seq: number; before_hash: string };

// Guarded: of two who would move the same end, the second finds it gone.
const moveHead = prepare((db, $: HeadToMove) =>
  db
    .updateTable('chain_heads')
    .set({ seq: $.seq, hash: $.hash, sealed_at: $.sealed_at, jws: $.jws })
    .where('project_id', '=', $.project_id)
    .where('seq', '=', $.before_seq)
    .where('hash', '=', $.before_hash),
);

const insertFirstHead = prepare((db, $: Row<'chain_heads'>) =>
  db
    .insertInto('chain_heads')
    .values({ project_id: $.project_id, seq: $.seq, hash: $.hash, sealed_at: $.sealed_at, jws: $.jws })
    .onConflict((conflict) => conflict.column('project_id').doNothing()),
);

type Reads = Pick<
  AuditReader,
  | 'findChainHead'
  | 'listUnsealedEvents'
  | 'findLastUnsealedPosition'
  | 'countUnsealedEvents'
  | 'listUnsealedProjects'
  | 'listChainEnds'
>;

type ProjectOnly = { projectId: string };
type UnsealedParams = ProjectOnly & { limit: number; throughPosition: number };

/** How a database finds what is not sealed yet. */
interface UnsealedQueries {
  listUnsealed(shape: {
    bounded: boolean;
  }): PreparedQuery<UnsealedParams, { place: number; seq: number | null; event_hash: string }>;
  findLastUnsealed: PreparedQuery<ProjectOnly, { place: number }>;
  countUnsealed: PreparedQuery<ProjectOnly, { count: number }>;
  listUnsealedProjectRows: PreparedQuery<object, { id: string; first_place: number }>;
}

type UnsealedReads = Pick<
  AuditReader,
  'listUnsealedEvents' | 'findLastUnsealedPosition' | 'countUnsealedEvents' | 'listUnsealedProjects'
>;

export function unsealedReads({
  listUnsealed,
  findLastUnsealed,
  countUnsealed,
  listUnsealedProjectRows,
}: UnsealedQueries): OverRunner<UnsealedReads> {
  return {
    async listUnsealedEvents(run, projectId, limit, throughPosition) {
      const bounded = throughPosition !== undefined;
      const params = { projectId, limit, throughPosition: throughPosition ?? 0 };
      const rows = await run.all(listUnsealed({ bounded }), params);
      return rows.map(({ place, seq, event_hash }) => ({ position: place, seq, eventHash: event_hash }));
    },

    async findLastUnsealedPosition(run, projectId) {
      return (await run.first(findLastUnsealed, { projectId }))?.place;
    },

    async countUnsealedEvents(run, projectId) {
      return (await run.first(countUnsealed, { projectId }))?.count ?? 0;
    },

    async listUnsealedProjects(run) {
      const rows = await run.all(listUnsealedProjectRows, {});
      return rows.map((row) => ({ projectId: row.id, firstPosition: row.first_place }));
    },
  };
}

export const sealReads: OverRunner<Reads> = {
  async findChainHead(run, projectId) {
    const row = await run.first(findHead, { projectId });
    return row && toChainHead(row);
  },

  ...unsealedReads({ listUnsealed, findLastUnsealed, countUnsealed, listUnsealedProjectRows }),

  async listChainEnds(run, sealedSince) {
    const rows = await run.all(listHeadsSince, { sealedSince });
    return rows.map((row) => ({ projectId: row.project_id, seq: row.seq }));
  },
};

export const sealWrites: OverRunner<Pick<AuditWriter, 'appendSeal'>> = {
  async appendSeal(run, seal, head) {
    if (!(await moveChainHead(run, seal, head, moveHead))) return false;
    await insertSeal(run, seal);
    return true;
  },
};

/** False when the chain does not end where the seal begins. */
export async function moveChainHead(
  run: QueryRunner,
  seal: Seal,
  head: ChainHead,
  move: PreparedQuery<HeadToMove, unknown>,
): Promise<boolean> {
  const row = toHeadRow(head);
  if (seal.firstSeq === 1) return (await run.change(insertFirstHead, row)) === 1;
  const moved = { ...row, before_seq: seal.firstSeq - 1, before_hash: seal.prevHash };
  return (await run.change(move, moved)) === 1;
}

/** Throws where the seal does not follow right on the last. */
export async function insertSeal(run: QueryRunner, seal: Seal): Promise<void> {
  const sealed = await run.change(insertSealRow, toSealRow(seal));
  if (sealed !== 1) throw new Error(`the seal from ${seal.firstSeq} on does not follow on what is sealed`);
}

function toSealRow({ projectId, firstSeq, prevHash, hashes }: Seal): NewRow<'seals'> {
  return {
    project_id: projectId,
    first_seq: firstSeq,
    last_seq: firstSeq + hashes.length - 1,
    prev_hash: prevHash,
    hashes: hashes.map((hash) => hash.slice(HASH_PREFIX.length)).join(''),
  };
}

function toHeadRow(head: ChainHead): Row<'chain_heads'> {
  return {
    project_id: head.projectId,
    seq: head.seq,
    hash: head.hash,
    sealed_at: head.sealedAt,
    jws: head.jws,
  };
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
