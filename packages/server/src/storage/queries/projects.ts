/** Owns the projects, their stop switch, their revision and the versions of their policy. */
import type { PolicyVersion, Project, ProjectReader, ProjectWriter } from '../../gate/projects/project.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare, prepareShapes } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { id: string }) =>
  db.selectFrom('projects').selectAll().where('id', '=', $.id),
);

const listRows = prepare((db) => db.selectFrom('projects').selectAll().orderBy('seq'));

const insertRow = prepare((db, $: NewRow<'projects'>) =>
  db.insertInto('projects').values({
    id: $.id,
    name: $.name,
    mode: $.mode,
    stopped_at: $.stopped_at,
    rate_limit_per_minute: $.rate_limit_per_minute,
    policy_second_person: $.policy_second_person,
    revision: $.revision,
    created_at: $.created_at,
  }),
);

const findRevision = prepare((db, $: { id: string }) =>
  db.selectFrom('projects').select('revision').where('id', '=', $.id),
);

const bumpRevision = prepare((db, $: { id: string }) =>
  db
    .updateTable('projects')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', $.id),
);

const renameRow = prepare((db, $: { id: string; name: string }) =>
  db.updateTable('projects').set({ name: $.name }).where('id', '=', $.id),
);

const limitRow = prepare((db, $: { id: string; perMinute: number | null }) =>
  db.updateTable('projects').set({ rate_limit_per_minute: $.perMinute }).where('id', '=', $.id),
);

const stopRow = prepare((db, $: { id: string; at: string }) =>
  db.updateTable('projects').set({ stopped_at: $.at }).where('id', '=', $.id).where('stopped_at', 'is', null),
);

const startRow = prepare((db, $: { id: string }) =>
  db
    .updateTable('projects')
    .set({ stopped_at: null })
    .where('id', '=', $.id)
    .where('stopped_at', 'is not', null),
);

const listPolicyRows = prepareShapes(
  (db, $: { projectId: string; beforeVersion: number; limit: number }, shape: { paged: boolean }) => {
    const rows = db
      .selectFrom('policy_versions')
      .selectAll()
      .where('project_id', '=', $.projectId)
      .orderBy('version', 'desc')
      .limit($.limit);
    return shape.paged ? rows.where('version', '<', $.beforeVersion) : rows;
  },
);

const insertPolicyRow = prepare((db, $: NewRow<'policy_versions'>) =>
  db.insertInto('policy_versions').values({
    project_id: $.project_id,
    version: $.version,
    hash: $.hash,
    document: $.document,
    created_at: $.created_at,
    created_by: $.created_by,
  }),
);

type Reads = Pick<
  ProjectReader,
  'findProject' | 'findProjectRevision' | 'listProjects' | 'findPolicy' | 'listPolicyVersions'
>;
type Writes = Pick<
  ProjectWriter,
  | 'insertProject'
  | 'bumpProjectRevision'
  | 'renameProject'
  | 'setProjectRateLimit'
  | 'setProjectStopped'
  | 'insertPolicyVersion'
>;

export const projectReads: OverRunner<Reads> = {
  async findProject(run, id) {
    const row = await run.first(findRow, { id });
    return row && toProject(row);
  },

  async findProjectRevision(run, id) {
    return (await run.first(findRevision, { id }))?.revision;
  },

  async listProjects(run) {
    return (await run.all(listRows, {})).map(toProject);
  },

  async findPolicy(run, projectId) {
    const row = await run.first(listPolicyRows({ paged: false }), { projectId, beforeVersion: 0, limit: 1 });
    return row && toPolicyVersion(row);
  },

  async listPolicyVersions(run, projectId, { beforeVersion, limit }) {
    const query = listPolicyRows({ paged: beforeVersion !== undefined });
    const rows = await run.all(query, { projectId, beforeVersion: beforeVersion ?? 0, limit });
    return rows.map(toPolicyVersion);
  },
};

export const projectWrites: OverRunner<Writes> = {
  async insertProject(run, project) {
    await run.change(insertRow, {
      id: project.id,
      name: project.name,
      mode: project.mode,
      stopped_at: project.stoppedAt,
      rate_limit_per_minute: project.rateLimitPerMinute,
      policy_second_person: project.policySecondPerson ? 1 : 0,
      revision: project.revision,
      created_at: project.createdAt,
    });
  },

  async bumpProjectRevision(run, id) {
    const bumped = await run.change(bumpRevision, { id });
    // Settings kept under a revision that did not grow would go on being used.
    if (bumped !== 1) throw new Error(`there is no project ${id} whose revision could grow`);
  },

  async renameProject(run, id, name) {
    await run.change(renameRow, { id, name });
  },

  async setProjectRateLimit(run, id, perMinute) {
    await run.change(limitRow, { id, perMinute });
  },

  async setProjectStopped(run, id, at) {
    const changed = at === null ? run.change(startRow, { id }) : run.change(stopRow, { id, at });
    return (await changed) === 1;
  },

  async insertPolicyVersion(run, version) {
    await run.change(insertPolicyRow, {
      project_id: version.projectId,
      version: version.version,
      hash: version.hash,
      document: toJson(version.document),
      created_at: version.createdAt,
      created_by: version.createdBy,
    });
  },
};

function toProject(row: Row<'projects'>): Project {
  return {
    id: row.id,
    name: row.name,
    mode: row.mode,
    stoppedAt: row.stopped_at,
    rateLimitPerMinute: row.rate_limit_per_minute,
    policySecondPerson: row.policy_second_person === 1,
    revision: row.revision,
    createdAt: row.created_at,
  };
}

function toPolicyVersion(row: Row<'policy_versions'>): PolicyVersion {
  return {
    projectId: row.project_id,
    version: row.version,
    hash: row.hash,
    document: fromJson(row.document),
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}
