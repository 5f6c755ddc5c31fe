/** Owns the projects, their emergency stop, their revision and the versions of their policy. */
import type { ProjectReader, ProjectWriter } from '../../gate/projects/project.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { findIn, listIn, rowsOf } from '../sql/read-statements.ts';
import { policyVersions, projects } from '../sql/tables.ts';
import { change, guarded, insertInto, updateOf } from '../sql/write-statements.ts';

const find = findIn(projects, 'id');
const list = listIn(projects, { orderBy: 'seq' });
const rename = updateOf(projects, { set: ['name'], where: ['id'] });
const setRateLimit = updateOf(projects, { set: ['rateLimitPerMinute'], where: ['id'] });

export const findRevision = prepare((db, $: { id: string }) =>
  db.selectFrom('projects').select('revision').where('id', '=', $.id),
);

const findAtRevision = prepare(
  (db, $: { id: string; revision: number }) =>
    db.selectFrom('projects').select('id').where('id', '=', $.id).where('revision', '=', $.revision),
  { expects: ({ id }) => ({ id }) },
);

const bumpRevision = change((db, $: { id: string }) =>
  db
    .updateTable('projects')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', $.id),
);

const stop = guarded(projects, (rows, $: { id: string; at: string }) =>
  rows.set({ stopped_at: $.at }).where('id', '=', $.id).where('stopped_at', 'is', null),
);

const start = guarded(projects, (rows, $: { id: string }) =>
  rows.set({ stopped_at: null }).where('id', '=', $.id).where('stopped_at', 'is not', null),
);

type PolicyParams = { projectId: string; beforeVersion?: number | undefined; limit: number };

const policies = rowsOf(policyVersions, (rows, $: PolicyParams) => {
  const newest = rows.where('project_id', '=', $.projectId).orderBy('version', 'desc').limit($.limit);
  return $.beforeVersion === undefined ? newest : newest.where('version', '<', $.beforeVersion);
});

export const projectQueries = {
  findProject: (run, id) => find(run, { id }),

  findProjectRevision: async (run, id) => (await run.first(findRevision, { id }))?.revision,

  isAtRevision: async (run, id, revision) =>
    (await run.first(findAtRevision, { id, revision })) !== undefined,

  listProjects: (run) => list(run, {}),

  findPolicy: (run, projectId) => policies.first(run, { projectId, limit: 1 }),

  listPolicyVersions: (run, projectId, { beforeVersion, limit }) =>
    policies.all(run, { projectId, beforeVersion, limit }),

  insertProject: insertInto(projects),

  async bumpProjectRevision(run, id) {
    const bumped = await bumpRevision(run, { id });
    // If the revision did not grow, settings cached under it would stay in use.
    if (bumped !== 1) throw new Error(`there is no project ${id} whose revision could grow`);
  },

  renameProject: (run, id, name) => rename(run, { id, name }),

  setProjectRateLimit: (run, id, perMinute) => setRateLimit(run, { id, rateLimitPerMinute: perMinute }),

  setProjectStopped: (run, id, at) => (at === null ? start(run, { id }) : stop(run, { id, at })),

  insertPolicyVersion: insertInto(policyVersions),
} satisfies Partial<OverRunner<ProjectReader & ProjectWriter>>;
