/** Owns shadow policies and their results: the newest differences, and counts of all of them. */
import { sql } from 'kysely';
import { groupKey, parseGroupKey } from '../../gate/policy-management/comparison/difference-tally.ts';
import type {
  ShadowCount,
  ShadowReader,
  ShadowWriter,
} from '../../gate/policy-management/shadow/shadow-policy.ts';
import { type OverRunner, prepare, type QueryRunner } from '../sql/prepared-query.ts';
import { countOf, findIn, rowsOf } from '../sql/read-statements.ts';
import { type Row, shadowCounts, shadowDivergences, shadowPolicies } from '../sql/tables.ts';
import { change, deleteFrom, guarded, insertInto, insertOr } from '../sql/write-statements.ts';

const find = findIn(shadowPolicies, 'projectId');
const insert = insertInto(shadowPolicies);
const deletePolicy = deleteFrom(shadowPolicies, 'projectId');
const deleteDivergences = deleteFrom(shadowDivergences, 'projectId');
const deleteCounts = deleteFrom(shadowCounts, 'projectId');
const insertDivergence = insertInto(shadowDivergences);
const countCounts = countOf(shadowCounts, (rows, $: { projectId: string }) =>
  rows.where('project_id', '=', $.projectId),
);

const addToPolicy = guarded(
  shadowPolicies,
  (rows, $: { projectId: string; hash: string; evaluated: number; diverged: number }) =>
    rows
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

const addToCount = guarded(shadowCounts, (rows, $: Row<'shadow_counts'>) =>
  rows
    .set((eb) => ({ count: eb('count', '+', $.count) }))
    .where('project_id', '=', $.project_id)
    .where('kind', '=', $.kind)
    .where('name', '=', $.name),
);

// Another gate may have inserted the same count first.
const insertCount = insertOr(shadowCounts, (conflict) =>
  conflict
    .columns(['project_id', 'kind', 'name'])
    .doUpdateSet((eb) => ({ count: eb('shadow_counts.count', '+', eb.ref('excluded.count')) })),
);

/** Deletes all but the newest `keep`. */
const deleteOldest = change((db, $: { projectId: string; keep: number }) =>
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

const divergences = rowsOf(
  shadowDivergences,
  (rows, $: { projectId: string; before: number | undefined; limit: number }) => {
    const newest = rows.where('project_id', '=', $.projectId).orderBy('seq', 'desc').limit($.limit);
    return $.before === undefined ? newest : newest.where('seq', '<', $.before);
  },
  ({ seq, intent_id, at, difference }) => {
    const { from, to, direction, terms } = parseGroupKey(difference);
    return { position: seq, intentId: intent_id, at, inForce: from, shadow: to, direction, terms };
  },
);

export const shadowQueries: OverRunner<ShadowReader & ShadowWriter> = {
  findShadow: (run, projectId) => find(run, { projectId }),

  listShadowCounts: (run, projectId) => run.all(listCountRows, { projectId }),

  listShadowDivergences: (run, projectId, { before, limit }) =>
    divergences.all(run, { projectId, before, limit }),

  async replaceShadow(run, shadow) {
    await removeAll(run, shadow.projectId);
    await insert(run, shadow);
  },

  removeShadow: removeAll,

  async addShadowFindings(run, projectId, hash, { evaluated, diverged, counts, divergences }, keep) {
    if (!(await addToPolicy(run, { projectId, hash, evaluated, diverged }))) return false;
    await addCounts(run, projectId, counts, keep.counts);
    for (const divergence of divergences) {
      const difference = groupKey(divergence.inForce, divergence.shadow, divergence);
      await insertDivergence(run, { projectId, ...divergence, difference });
    }
    if (divergences.length > 0) await deleteOldest(run, { projectId, keep: keep.divergences });
    return true;
  },
};

async function removeAll(run: QueryRunner, projectId: string): Promise<boolean> {
  await deleteDivergences(run, { projectId });
  await deleteCounts(run, { projectId });
  return (await deletePolicy(run, { projectId })) === 1;
}

/** Adds to existing counts, and inserts new ones while the project has fewer than `most`. */
async function addCounts(
  run: QueryRunner,
  projectId: string,
  counts: readonly ShadowCount[],
  most: number,
): Promise<void> {
  const fresh: ShadowCount[] = [];
  for (const count of counts) {
    if (!(await addToCount(run, { project_id: projectId, ...count }))) fresh.push(count);
  }
  if (fresh.length === 0) return;
  const taken = await countCounts(run, { projectId });
  for (const count of fresh.slice(0, Math.max(0, most - taken))) {
    await insertCount(run, { projectId, ...count }, {});
  }
}
