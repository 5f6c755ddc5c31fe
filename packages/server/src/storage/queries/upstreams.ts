/** Owns upstream MCP servers, and the found and approved definitions of their tools. */
import type { JsonObject } from '@permitry/protocol';
import { sql } from 'kysely';
import type {
  ToolDefinition,
  UpstreamReader,
  UpstreamTool,
  UpstreamWriter,
} from '../../gate/upstreams/upstream.ts';
import { toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { countOf, findIn, listIn, rowsOf } from '../sql/read-statements.ts';
import type { ObjectOf } from '../sql/table.ts';
import { upstreams, upstreamTools } from '../sql/tables.ts';
import { deleteFrom, guarded, insertInto, save, updateWhere } from '../sql/write-statements.ts';

const liveById = rowsOf(upstreams, (rows, $: { projectId: string; id: string }) =>
  rows.where('id', '=', $.id).where('project_id', '=', $.projectId).where('deleted_at', 'is', null),
);
const liveByName = rowsOf(upstreams, (rows, $: { projectId: string; name: string }) =>
  rows.where('project_id', '=', $.projectId).where('name', '=', $.name).where('deleted_at', 'is', null),
);
const live = rowsOf(upstreams, (rows, $: { projectId: string }) =>
  rows.where('project_id', '=', $.projectId).where('deleted_at', 'is', null),
);

const listTools = listIn(upstreamTools, { where: ['upstreamId'], orderBy: 'name' });
const findTool = findIn(upstreamTools, 'upstreamId', 'name');
/** While a tool is offered, the found definition equals the pinned one. */
const offered = rowsOf(upstreamTools.without('found', 'found_hash'), (rows, $: { projectId: string }) =>
  rows
    .where('project_id', '=', $.projectId)
    .where('state', '=', sql.lit('approved'))
    .orderBy('upstream_id')
    .orderBy('name'),
);

const count = prepare((db, _: object) =>
  db
    .selectFrom('upstreams')
    .select((eb) => [eb.fn.countAll<number>().as('all'), eb.fn.count<number>('failing_since').as('failing')])
    .where('deleted_at', 'is', null),
);

const countToApprove = countOf(upstreamTools, (rows) =>
  rows
    .where('state', 'in', [sql.lit('new' as const), sql.lit('changed' as const)])
    .where('found', 'is not', null)
    .where('obstacle', 'is', null),
);

const update = updateWhere(
  upstreams,
  ['target', 'secretNames', 'sealedSettings', 'riskTier', 'timeoutSeconds', 'version', 'updatedAt'],
  (rows, $: { id: string; knownVersion: number }) =>
    rows.where('id', '=', $.id).where('version', '=', $.knownVersion).where('deleted_at', 'is', null),
);

const noteSeen = guarded(upstreams, (rows, $: { id: string; version: number; server: string; at: string }) =>
  rows
    .set({ server: $.server, polled_at: $.at, failing_since: null, error: null })
    .where('id', '=', $.id)
    .where('version', '=', $.version)
    .where('deleted_at', 'is', null),
);

const noteFailed = guarded(upstreams, (rows, $: { id: string; version: number; error: string; at: string }) =>
  rows
    .set((eb) => ({ failing_since: eb.fn.coalesce('failing_since', eb.val($.at)), error: $.error }))
    .where('id', '=', $.id)
    .where('version', '=', $.version)
    .where('deleted_at', 'is', null),
);

const markDeleted = guarded(upstreams, (rows, $: { id: string; at: string }) =>
  rows
    .set({ deleted_at: $.at, sealed_settings: '', secret_names: '[]', failing_since: null, error: null })
    .where('id', '=', $.id)
    .where('deleted_at', 'is', null),
);

const deleteTools = deleteFrom(upstreamTools, 'upstreamId');
const deleteTool = deleteFrom(upstreamTools, 'upstreamId', 'name');
const putTool = save(upstreamTools, {
  by: ['upstreamId', 'name'],
  set: [
    'state',
    'obstacle',
    'found',
    'foundHash',
    'pinned',
    'pinnedHash',
    'riskTier',
    'changedAt',
    'approvedAt',
  ],
});

export const upstreamQueries: OverRunner<UpstreamReader & UpstreamWriter> = {
  findUpstream: (run, projectId, id) => liveById.first(run, { projectId, id }),

  findUpstreamByName: (run, projectId, name) => liveByName.first(run, { projectId, name }),

  listUpstreams: async (run, projectId) =>
    (await live.all(run, { projectId })).sort((a, b) => (a.id < b.id ? 1 : -1)),

  listUpstreamTools: async (run, upstreamId) => (await listTools(run, { upstreamId })).map(toTool),

  async findUpstreamTool(run, upstreamId, name) {
    const tool = await findTool(run, { upstreamId, name });
    return tool && toTool(tool);
  },

  async listOfferedTools(run, projectId) {
    const servers = new Map((await live.all(run, { projectId })).map((server) => [server.id, server]));
    if (servers.size === 0) return [];
    return (await offered.all(run, { projectId })).flatMap((kept) => {
      const upstream = servers.get(kept.upstreamId);
      const tool = toTool({ ...kept, found: kept.pinned, foundHash: kept.pinnedHash });
      const { pinned } = tool;
      return upstream && pinned ? [{ upstream, tool: { ...tool, pinned } }] : [];
    });
  },

  async measureUpstreams(run) {
    const servers = await run.first(count, {});
    return {
      upstreams: servers?.all ?? 0,
      failing: servers?.failing ?? 0,
      toolsToApprove: await countToApprove(run, {}),
    };
  },

  insertUpstream: insertInto(upstreams),

  updateUpstream: (run, upstream, knownVersion) => update(run, { ...upstream, knownVersion }),

  noteUpstreamSeen: (run, id, version, server, at) =>
    noteSeen(run, { id, version, server: toJson(server), at }),

  noteUpstreamFailure: (run, id, version, error, at) => noteFailed(run, { id, version, error, at }),

  async deleteUpstream(run, id, at) {
    if (!(await markDeleted(run, { id, at }))) return false;
    await deleteTools(run, { upstreamId: id });
    return true;
  },

  putUpstreamTool: (run, { found, pinned, ...tool }) =>
    putTool(run, {
      ...tool,
      found: found?.content ?? null,
      foundHash: found?.hash ?? null,
      pinned: pinned?.content ?? null,
      pinnedHash: pinned?.hash ?? null,
    }),

  deleteUpstreamTool: (run, upstreamId, name) => deleteTool(run, { upstreamId, name }),
};

function toTool({
  found,
  foundHash,
  pinned,
  pinnedHash,
  ...tool
}: ObjectOf<typeof upstreamTools.columns>): UpstreamTool {
  return { ...tool, found: toDefinition(found, foundHash), pinned: toDefinition(pinned, pinnedHash) };
}

function toDefinition(content: JsonObject | null, hash: string | null): ToolDefinition | null {
  return content === null || hash === null ? null : { content, hash };
}
