/** Owns MCP servers of others and what was found and approved of their tools. */
import { sql } from 'kysely';
import type {
  ToolDefinition,
  Upstream,
  UpstreamReader,
  UpstreamTool,
  UpstreamWriter,
} from '../../gate/upstreams/upstream.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { projectId: string; id: string }) =>
  db
    .selectFrom('upstreams')
    .selectAll()
    .where('id', '=', $.id)
    .where('project_id', '=', $.projectId)
    .where('deleted_at', 'is', null),
);

const findRowByName = prepare((db, $: { projectId: string; name: string }) =>
  db
    .selectFrom('upstreams')
    .selectAll()
    .where('project_id', '=', $.projectId)
    .where('name', '=', $.name)
    .where('deleted_at', 'is', null),
);

const listRows = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('upstreams')
    .selectAll()
    .where('project_id', '=', $.projectId)
    .where('deleted_at', 'is', null),
);

const listToolRows = prepare((db, $: { upstreamId: string }) =>
  db.selectFrom('upstream_tools').selectAll().where('upstream_id', '=', $.upstreamId).orderBy('name'),
);

const findToolRow = prepare((db, $: { upstreamId: string; name: string }) =>
  db
    .selectFrom('upstream_tools')
    .selectAll()
    .where('upstream_id', '=', $.upstreamId)
    .where('name', '=', $.name),
);

/** Without `found`, which is what is pinned while they are offered. */
const listOfferedRows = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('upstream_tools')
    .select([
      'project_id',
      'upstream_id',
      'name',
      'state',
      'obstacle',
      'pinned',
      'pinned_hash',
      'risk_tier',
      'found_at',
      'changed_at',
      'approved_at',
    ])
    .where('project_id', '=', $.projectId)
    .where('state', '=', sql.lit('approved'))
    .orderBy('upstream_id')
    .orderBy('name'),
);

const countRows = prepare((db, _: object) =>
  db
    .selectFrom('upstreams')
    .select((eb) => [eb.fn.countAll<number>().as('all'), eb.fn.count<number>('failing_since').as('failing')])
    .where('deleted_at', 'is', null),
);

const countToApprove = prepare((db, _: object) =>
  db
    .selectFrom('upstream_tools')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', 'in', [sql.lit('new' as const), sql.lit('changed' as const)])
    .where('found', 'is not', null)
    .where('obstacle', 'is', null),
);

const insertRow = prepare((db, $: NewRow<'upstreams'>) =>
  db.insertInto('upstreams').values({
    id: $.id,
    project_id: $.project_id,
    name: $.name,
    kind: $.kind,
    target: $.target,
    secret_names: $.secret_names,
    sealed_settings: $.sealed_settings,
    risk_tier: $.risk_tier,
    timeout_seconds: $.timeout_seconds,
    version: $.version,
    created_at: $.created_at,
    updated_at: $.updated_at,
    deleted_at: null,
    server: $.server,
    looked_at: $.looked_at,
    failing_since: $.failing_since,
    error: $.error,
  }),
);

type Settings = Pick<
  Row<'upstreams'>,
  | 'id'
  | 'target'
  | 'secret_names'
  | 'sealed_settings'
  | 'risk_tier'
  | 'timeout_seconds'
  | 'version'
  | 'updated_at'
>;

const updateRow = prepare((db, $: Settings & { knownVersion: number }) =>
  db
    .updateTable('upstreams')
    .set({
      target: $.target,
      secret_names: $.secret_names,
      sealed_settings: $.sealed_settings,
      risk_tier: $.risk_tier,
      timeout_seconds: $.timeout_seconds,
      version: $.version,
      updated_at: $.updated_at,
    })
    .where('id', '=', $.id)
    .where('version', '=', $.knownVersion)
    .where('deleted_at', 'is', null),
);

const seenRow = prepare((db, $: { id: string; version: number; server: string; at: string }) =>
  db
    .updateTable('upstreams')
    .set({ server: $.server, looked_at: $.at, failing_since: null, error: null })
    .where('id', '=', $.id)
    .where('version', '=', $.version)
    .where('deleted_at', 'is', null),
);

const failedRow = prepare((db, $: { id: string; version: number; error: string; at: string }) =>
  db
    .updateTable('upstreams')
    .set((eb) => ({ failing_since: eb.fn.coalesce('failing_since', eb.val($.at)), error: $.error }))
    .where('id', '=', $.id)
    .where('version', '=', $.version)
    .where('deleted_at', 'is', null),
);

const deleteRow = prepare((db, $: { id: string; at: string }) =>
  db
    .updateTable('upstreams')
    .set({ deleted_at: $.at, sealed_settings: '', secret_names: '[]', failing_since: null, error: null })
    .where('id', '=', $.id)
    .where('deleted_at', 'is', null),
);

const deleteToolRows = prepare((db, $: { upstreamId: string }) =>
  db.deleteFrom('upstream_tools').where('upstream_id', '=', $.upstreamId),
);

const deleteToolRow = prepare((db, $: { upstreamId: string; name: string }) =>
  db.deleteFrom('upstream_tools').where('upstream_id', '=', $.upstreamId).where('name', '=', $.name),
);

const putToolRow = prepare((db, $: NewRow<'upstream_tools'>) =>
  db
    .insertInto('upstream_tools')
    .values({
      project_id: $.project_id,
      upstream_id: $.upstream_id,
      name: $.name,
      state: $.state,
      obstacle: $.obstacle,
      found: $.found,
      found_hash: $.found_hash,
      pinned: $.pinned,
      pinned_hash: $.pinned_hash,
      risk_tier: $.risk_tier,
      found_at: $.found_at,
      changed_at: $.changed_at,
      approved_at: $.approved_at,
    })
    .onConflict((conflict) =>
      conflict.columns(['upstream_id', 'name']).doUpdateSet({
        state: $.state,
        obstacle: $.obstacle,
        found: $.found,
        found_hash: $.found_hash,
        pinned: $.pinned,
        pinned_hash: $.pinned_hash,
        risk_tier: $.risk_tier,
        changed_at: $.changed_at,
        approved_at: $.approved_at,
      }),
    ),
);

export const upstreamReads: OverRunner<UpstreamReader> = {
  async findUpstream(run, projectId, id) {
    const row = await run.first(findRow, { projectId, id });
    return row && toUpstream(row);
  },

  async findUpstreamByName(run, projectId, name) {
    const row = await run.first(findRowByName, { projectId, name });
    return row && toUpstream(row);
  },

  async listUpstreams(run, projectId) {
    const rows = await run.all(listRows, { projectId });
    return rows.map(toUpstream).sort((a, b) => (a.id < b.id ? 1 : -1));
  },

  async listUpstreamTools(run, upstreamId) {
    return (await run.all(listToolRows, { upstreamId })).map(toTool);
  },

  async findUpstreamTool(run, upstreamId, name) {
    const row = await run.first(findToolRow, { upstreamId, name });
    return row && toTool(row);
  },

  async listOfferedTools(run, projectId) {
    const rows = await run.all(listRows, { projectId });
    if (rows.length === 0) return [];
    const upstreams = new Map(rows.map((row) => [row.id, toUpstream(row)]));
    return (await run.all(listOfferedRows, { projectId })).flatMap((row) => {
      const upstream = upstreams.get(row.upstream_id);
      const tool = toTool({ ...row, found: null, found_hash: null });
      const { pinned } = tool;
      return upstream && pinned ? [{ upstream, tool: { ...tool, found: pinned, pinned } }] : [];
    });
  },

  async measureUpstreams(run) {
    const upstreams = await run.first(countRows, {});
    const tools = await run.first(countToApprove, {});
    return {
      upstreams: upstreams?.all ?? 0,
      failing: upstreams?.failing ?? 0,
      toolsToApprove: tools?.count ?? 0,
    };
  },
};

export const upstreamWrites: OverRunner<UpstreamWriter> = {
  async insertUpstream(run, upstream) {
    await run.change(insertRow, {
      ...toSettings(upstream),
      project_id: upstream.projectId,
      name: upstream.name,
      kind: upstream.kind,
      created_at: upstream.createdAt,
      deleted_at: null,
      server: upstream.server && toJson(upstream.server),
      looked_at: upstream.polledAt,
      failing_since: upstream.failingSince,
      error: upstream.error,
    });
  },

  async updateUpstream(run, upstream, knownVersion) {
    return (await run.change(updateRow, { ...toSettings(upstream), knownVersion })) === 1;
  },

  async noteUpstreamSeen(run, id, version, server, at) {
    return (await run.change(seenRow, { id, version, server: toJson(server), at })) === 1;
  },

  async noteUpstreamFailure(run, id, version, error, at) {
    return (await run.change(failedRow, { id, version, error, at })) === 1;
  },

  async deleteUpstream(run, id, at) {
    if ((await run.change(deleteRow, { id, at })) !== 1) return false;
    await run.change(deleteToolRows, { upstreamId: id });
    return true;
  },

  async putUpstreamTool(run, tool) {
    await run.change(putToolRow, {
      project_id: tool.projectId,
      upstream_id: tool.upstreamId,
      name: tool.name,
      state: tool.state,
      obstacle: tool.obstacle,
      found: tool.found && toJson(tool.found.content),
      found_hash: tool.found?.hash ?? null,
      pinned: tool.pinned && toJson(tool.pinned.content),
      pinned_hash: tool.pinned?.hash ?? null,
      risk_tier: tool.riskTier,
      found_at: tool.foundAt,
      changed_at: tool.changedAt,
      approved_at: tool.approvedAt,
    });
  },

  async deleteUpstreamTool(run, upstreamId, name) {
    await run.change(deleteToolRow, { upstreamId, name });
  },
};

function toSettings(upstream: Upstream): Settings {
  return {
    id: upstream.id,
    target: upstream.target,
    secret_names: toJson(upstream.secretNames),
    sealed_settings: upstream.sealedSettings,
    risk_tier: upstream.riskTier,
    timeout_seconds: upstream.timeoutSeconds,
    version: upstream.version,
    updated_at: upstream.updatedAt,
  };
}

function toUpstream(row: Row<'upstreams'>): Upstream {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    kind: row.kind,
    target: row.target,
    secretNames: fromJson(row.secret_names),
    sealedSettings: row.sealed_settings,
    riskTier: row.risk_tier,
    timeoutSeconds: row.timeout_seconds,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    server: row.server === null ? null : fromJson(row.server),
    polledAt: row.looked_at,
    failingSince: row.failing_since,
    error: row.error,
  };
}

function toTool(row: Omit<Row<'upstream_tools'>, 'seq'>): UpstreamTool {
  return {
    projectId: row.project_id,
    upstreamId: row.upstream_id,
    name: row.name,
    state: row.state,
    obstacle: row.obstacle,
    found: toDefinition(row.found, row.found_hash),
    pinned: toDefinition(row.pinned, row.pinned_hash),
    riskTier: row.risk_tier,
    foundAt: row.found_at,
    changedAt: row.changed_at,
    approvedAt: row.approved_at,
  };
}

function toDefinition(content: string | null, hash: string | null): ToolDefinition | null {
  return content === null || hash === null ? null : { content: fromJson(content), hash };
}
