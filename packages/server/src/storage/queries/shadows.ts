/** Owns shadow policies and what they found: the newest divergences, and counts of all of them. */
import { sql } from 'kysely';
import { groupKey, parseGroupKey } from '../../gate/policy-management/comparison/difference-tally.ts';
import type {
  ShadowCount,
  ShadowDivergence,
  ShadowReader,
  ShadowWriter,
} from '../../gate/policy-management/shadow/shadow-policy.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare, prepareShapes, type QueryRunner } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { projectId: string }) =>
  db.selectFrom('shadow_policies').selectAll().where('project_id', '=', $.projectId),
);

const insertRow = prepare((db, $: Row<'shadow_policies'>) =>
  db.insertInto('shadow_policies').values({
    project_id: $.project_id,
    hash: $.hash,
    document: $.document,
    since: $.since,
    created_by: $.created_by,
    evaluated: $.evaluated,
    diverged: $.diverged,
  }),
);

const deleteRow = prepare((db, $: { projectId: string }) =>
  db.deleteFrom('shadow_policies').where('project_id', '=', $.projectId),
);
const deleteDivergences = prepare((db, $: { projectId: string }) =>
  db.deleteFrom('shadow_divergences').where('project_id', '=', $.projectId),
);
const deleteCounts = prepare((db, $: { projectId: string }) =>
  db.deleteFrom('shadow_counts').where('project_id', '=', $.projectId),
);

const addToRow = prepare((db, $: { projectId: string; hash: string; evaluated: number; diverged: number }) =>
  db
    .updateTable('shadow_policies')
    .set((eb) => ({
      evaluated: eb('evaluated', '+', $.evaluated),
      diverged: eb('diverged', '+', $.diverged),
    }))
    .where('project_id', '=', $.projectId)
    .where('hash', '=', $.hash),
);

const listCountRows = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('shadow_counts')
    .select(['kind', 'name', 'count'])
    .where('project_id', '=', $.projectId)
    .orderBy('count', 'desc')
    .orderBy('name'),
);

const countCountRows = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('shadow_counts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', $.projectId),
);

const addToCount = prepare((db, $: Row<'shadow_counts'>) =>
  db
    .updateTable('shadow_counts')
    .set((eb) => ({ count: eb('count', '+', $.count) }))
    .where('project_id', '=', $.project_id)
    .where('kind', '=', $.kind)
    .where('name', '=', $.name),
);

const insertCount = prepare((db, $: Row<'shadow_counts'>) =>
  db
    .insertInto('shadow_counts')
    .values({ project_id: $.project_id, kind: $.kind, name: $.name, count: $.count })
    // Another gate may have met the same for the first time as well.
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'kind', 'name'])
        .doUpdateSet((eb) => ({ count: eb('shadow_counts.count', '+', $.count) })),
    ),
);

const insertDivergence = prepare((db, $: NewRow<'shadow_divergences'>) =>
  db.insertInto('shadow_divergences').values({
    project_id: $.project_id,
    intent_id: $.intent_id,
    at: $.at,
    difference: $.difference,
  }),
);

/** All but the newest `keep`. */
const deleteOldest = prepare((db, $: { projectId: string; keep: number }) =>
  db
    .deleteFrom('shadow_divergences')
    .where('project_id', '=', $.projectId)
    .where('seq', '<=', (eb) =>
      eb
        .selectFrom('shadow_divergences as kept')
        .select('kept.seq')
        .where('kept.project_id', '=', $.projectId)
        .orderBy('kept.seq', 'desc')
        .limit(sql.lit(1))
        .offset($.keep),
    ),
);

const listDivergenceRows = prepareShapes(
  (db, $: { projectId: string; before: number; limit: number }, shape: { paged: boolean }) => {
    const rows = db
      .selectFrom('shadow_divergences')
      .selectAll()
      .where('project_id', '=', $.projectId)
      .orderBy('seq', 'desc')
      .limit($.limit);
    return shape.paged ? rows.where('seq', '<', $.before) : rows;
  },
);

export const shadowReads: OverRunner<ShadowReader> = {
  async findShadow(run, projectId) {
    const row = await run.first(findRow, { projectId });
    return (
      row && {
        projectId: row.project_id,
        hash: row.hash,
        document: fromJson(row.document),
        since: row.since,
        createdBy: row.created_by,
        evaluated: row.evaluated,
        diverged: row.diverged,
      }
    );
  },

  async listShadowCounts(run, projectId) {
    return run.all(listCountRows, { projectId });
  },

  async listShadowDivergences(run, projectId, { before, limit }) {
    const query = listDivergenceRows({ paged: before !== undefined });
    const rows = await run.all(query, { projectId, before: before ?? 0, limit });
    return rows.map(toDivergence);
  },
};

export const shadowWrites: OverRunner<ShadowWriter> = {
  async replaceShadow(run, shadow) {
    await removeAll(run, shadow.projectId);
    await run.change(insertRow, {
      project_id: shadow.projectId,
      hash: shadow.hash,
      document: toJson(shadow.document),
      since: shadow.since,
      created_by: shadow.createdBy,
      evaluated: shadow.evaluated,
      diverged: shadow.diverged,
    });
  },

  removeShadow: removeAll,

  async addShadowFindings(run, projectId, hash, { evaluated, diverged, counts, divergences }, keep) {
    if ((await run.change(addToRow, { projectId, hash, evaluated, diverged })) === 0) return false;
    await addCounts(run, projectId, counts, keep.counts);
    for (const divergence of divergences) {
      await run.change(insertDivergence, {
        project_id: projectId,
        intent_id: divergence.intentId,
        at: divergence.at,
        difference: groupKey(divergence.inForce, divergence.shadow, divergence),
      });
    }
    if (divergences.length > 0) await run.change(deleteOldest, { projectId, keep: keep.divergences });
    return true;
  },
};

async function removeAll(run: QueryRunner, projectId: string): Promise<boolean> {
  await run.change(deleteDivergences, { projectId });
  await run.change(deleteCounts, { projectId });
  return (await run.change(deleteRow, { projectId })) === 1;
}

/** What was counted before goes on; of what is new, so much as there is room for. */
async function addCounts(
  run: QueryRunner,
  projectId: string,
  counts: readonly ShadowCount[],
  most: number,
): Promise<void> {
  const fresh: Row<'shadow_counts'>[] = [];
  for (const count of counts) {
    const row = { project_id: projectId, ...count };
    if ((await run.change(addToCount, row)) === 0) fresh.push(row);
  }
  if (fresh.length === 0) return;
  const taken = (await run.first(countCountRows, { projectId }))?.count ?? 0;
  for (const row of fresh.slice(0, Math.max(0, most - taken))) await run.change(insertCount, row);
}

function toDivergence(row: Row<'shadow_divergences'>): ShadowDivergence & { position: number } {
  const { from, to, direction, terms } = parseGroupKey(row.difference);
  return {
    position: row.seq,
    intentId: row.intent_id,
    at: row.at,
    inForce: from,
    shadow: to,
    direction,
    terms,
  };
}
