/** Owns the chain of sealed events: its heads and its seals. */
import { type Expression, expressionBuilder } from 'kysely';
import type { AuditReader, AuditWriter, ChainHead, Seal } from '../../gate/audit/audit-event.ts';
import { type OverRunner, prepare, type QueryRunner } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { chainHeads, type Database } from '../sql/tables.ts';
import { change, insertOnce, updateWhere } from '../sql/write-statements.ts';
import { unsealedReads } from './unsealed-events.ts';

export const HASH_PREFIX = 'sha256:';

/** The last sealed place of the project; 0: none. */
export function lastSealed(projectId: string | Expression<string>) {
  const eb = expressionBuilder<Database>();
  const last = eb.selectFrom('seals').select('last_seq').where('seals.project_id', '=', projectId);
  return eb.fn.coalesce(last.orderBy('last_seq', 'desc').limit(1), eb.lit(0));
}

const findHead = findIn(chainHeads, 'projectId');

// Starts from the projects, because a walk that starts from the events would read all of them.
const listProjects = prepare((db) =>
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
            .as('first_position'),
        ])
        .as('project'),
    )
    .select(['project.id', 'project.first_position'])
    .where('project.first_position', 'is not', null)
    .$narrowType<{ first_position: number }>(),
);

const chainEnd = chainHeads.pick('projectId', 'seq');

const listEnds = prepare((db, $: { sealedSince: string }) =>
  db.selectFrom('chain_heads').select(chainEnd.columns).where('sealed_at', '>=', $.sealedSince),
);

type NewSeal = { projectId: string; firstSeq: number; lastSeq: number; prevHash: string; hashes: string };

// Writes nothing unless the seal follows directly on the last one.
const insertNext = change((db, $: NewSeal) =>
  db
    .insertInto('seals')
    .columns(['project_id', 'first_seq', 'last_seq', 'prev_hash', 'hashes'])
    .expression((eb) =>
      eb
        .selectFrom('projects')
        .select((of) => [
          'id',
          of.val($.firstSeq).as('first_seq'),
          of.val($.lastSeq).as('last_seq'),
          of.val($.prevHash).as('prev_hash'),
          of.val($.hashes).as('hashes'),
        ])
        .where('id', '=', $.projectId)
        .where((of) => of(lastSealed($.projectId), '=', of(of.val($.firstSeq), '-', of.lit(1)))),
    ),
);

// Guarded by the old head: when two gates move the same head, the second gate's update matches no row.
const moveHead = updateWhere(
  chainHeads,
  ['seq', 'hash', 'sealedAt', 'jws'],
  (rows, $: { projectId: string; beforeSeq: number; beforeHash: string }) =>
    rows
      .where('project_id', '=', $.projectId)
      .where('seq', '=', $.beforeSeq)
      .where('hash', '=', $.beforeHash),
);

const insertFirstHead = insertOnce(chainHeads, 'projectId');

const events = expressionBuilder<Database, 'events'>();

export const sealQueries = {
  findChainHead: (run, projectId) => findHead(run, { projectId }),

  ...unsealedReads({
    column: 'seq',
    seq: events.ref('seq'),
    isUnsealed: (projectId) => events('seq', '>', lastSealed(projectId)),
    listProjects,
  }),

  listChainEnds: async (run, sealedSince) =>
    (await run.all(listEnds, { sealedSince })).map(chainEnd.toObject),

  async appendSeal(run, seal, head) {
    if (!(await moveChainHead(run, seal, head))) return false;
    await insertSeal(run, seal);
    return true;
  },
} satisfies Partial<OverRunner<AuditReader & AuditWriter>>;

/** False when the chain does not end where the seal begins. */
export async function moveChainHead(
  run: QueryRunner,
  { firstSeq, prevHash }: Seal,
  head: ChainHead,
): Promise<boolean> {
  if (firstSeq === 1) return insertFirstHead(run, head);
  return moveHead(run, { ...head, beforeSeq: firstSeq - 1, beforeHash: prevHash });
}

/** Throws unless the seal follows directly on the last one. */
export async function insertSeal(
  run: QueryRunner,
  { projectId, firstSeq, prevHash, hashes }: Seal,
): Promise<void> {
  const written = await insertNext(run, {
    projectId,
    firstSeq,
    lastSeq: firstSeq + hashes.length - 1,
    prevHash,
    hashes: hashes.map((hash) => hash.slice(HASH_PREFIX.length)).join(''),
  });
  if (written !== 1) throw new Error(`the seal from ${firstSeq} on does not follow on what is sealed`);
}
