/** Owns the registry of agents. */

import type { AgentStatus } from '../../gate/access/agent-identity.ts';
import type { Agent, AgentReader, AgentWriter } from '../../gate/agents/agent.ts';
import { fromJson, toJson } from './json.ts';
import { type OverRunner, prepare, prepareShapes } from './prepared-query.ts';
import type { NewRow, Row } from './tables.ts';

const findRow = prepare((db, $: { projectId: string; id: string }) =>
  db.selectFrom('agents').selectAll().where('project_id', '=', $.projectId).where('id', '=', $.id),
);

const findRowByName = prepare((db, $: { projectId: string; name: string }) =>
  db.selectFrom('agents').selectAll().where('project_id', '=', $.projectId).where('name', '=', $.name),
);

const listRowsOwnedBy = prepare((db, $: { projectId: string; ownerId: string }) =>
  db.selectFrom('agents').selectAll().where('project_id', '=', $.projectId).where('owner_id', '=', $.ownerId),
);

const listRows = prepareShapes(
  (db, $: { projectId: string; beforeId: string; limit: number }, shape: { paged: boolean }) => {
    const rows = db
      .selectFrom('agents')
      .selectAll()
      .where('project_id', '=', $.projectId)
      .orderBy('seq', 'desc')
      .limit($.limit);
    if (!shape.paged) return rows;
    return rows.where('seq', '<', (eb) =>
      eb
        .selectFrom('agents as last')
        .select('last.seq')
        .where('last.id', '=', $.beforeId)
        .where('last.project_id', '=', $.projectId),
    );
  },
);

const insertRow = prepare((db, $: NewRow<'agents'>) =>
  db.insertInto('agents').values({
    id: $.id,
    project_id: $.project_id,
    name: $.name,
    fingerprint: $.fingerprint,
    framework: $.framework,
    labels: $.labels,
    risk_tier: $.risk_tier,
    status: $.status,
    owner_id: $.owner_id,
    behind: $.behind,
    owner_left_at: $.owner_left_at,
    owner_left_warned: $.owner_left_warned,
    created_at: $.created_at,
    last_seen_at: $.last_seen_at,
  }),
);

const updateRow = prepare(
  (db, $: Pick<Row<'agents'>, 'id' | 'name' | 'fingerprint' | 'framework' | 'labels' | 'risk_tier'>) =>
    db
      .updateTable('agents')
      .set({
        name: $.name,
        fingerprint: $.fingerprint,
        framework: $.framework,
        labels: $.labels,
        risk_tier: $.risk_tier,
      })
      .where('id', '=', $.id),
);

const setOwner = prepare((db, $: Pick<Row<'agents'>, 'id' | 'owner_id' | 'behind' | 'owner_left_at'>) =>
  db
    .updateTable('agents')
    .set({
      owner_id: $.owner_id,
      behind: $.behind,
      owner_left_at: $.owner_left_at,
      owner_left_warned: 0,
    })
    .where('id', '=', $.id),
);

const setBehind = prepare((db, $: Pick<Row<'agents'>, 'id' | 'behind'>) =>
  db.updateTable('agents').set({ behind: $.behind }).where('id', '=', $.id),
);

const listRowsToWarnOf = prepare((db, $: { leftBefore: string; limit: number }) =>
  db
    .selectFrom('agents')
    .selectAll()
    .where('owner_left_at', '<', $.leftBefore)
    .where('owner_left_warned', '=', 0)
    .where('status', '<>', 'revoked')
    .orderBy('owner_left_at')
    .limit($.limit),
);

const markWarned = prepare((db, $: { id: string; leftAt: string }) =>
  db
    .updateTable('agents')
    .set({ owner_left_warned: 1 })
    .where('id', '=', $.id)
    .where('owner_left_at', '=', $.leftAt)
    .where('status', '<>', 'revoked')
    .where('owner_left_warned', '=', 0),
);

const setStatus = prepare(
  (db, $: { id: string; to: AgentStatus; from1: AgentStatus; from2: AgentStatus; from3: AgentStatus }) =>
    db
      .updateTable('agents')
      .set({ status: $.to })
      .where('id', '=', $.id)
      .where('status', 'in', [$.from1, $.from2, $.from3]),
);

const touchRow = prepare((db, $: { id: string; at: string }) =>
  db
    .updateTable('agents')
    .set({ last_seen_at: $.at })
    .where('id', '=', $.id)
    .where((eb) => eb.or([eb('last_seen_at', 'is', null), eb('last_seen_at', '<', $.at)])),
);

export const agentReads: OverRunner<AgentReader> = {
  async findAgent(run, projectId, id) {
    const row = await run.first(findRow, { projectId, id });
    return row && toAgent(row);
  },

  async findAgentByName(run, projectId, name) {
    const row = await run.first(findRowByName, { projectId, name });
    return row && toAgent(row);
  },

  listAgentsToWarnOf: async (run, leftBefore, limit) =>
    (await run.all(listRowsToWarnOf, { leftBefore, limit })).map(toAgent),

  listAgentsOwnedBy: async (run, projectId, ownerId) =>
    (await run.all(listRowsOwnedBy, { projectId, ownerId })).map(toAgent),

  async listAgents(run, projectId, page) {
    const query = listRows({ paged: page.beforeId !== undefined });
    return (await run.all(query, { projectId, beforeId: page.beforeId ?? '', limit: page.limit })).map(
      toAgent,
    );
  },
};

export const agentWrites: OverRunner<AgentWriter> = {
  async insertAgent(run, agent) {
    await run.change(insertRow, {
      id: agent.id,
      project_id: agent.projectId,
      name: agent.name,
      fingerprint: agent.fingerprint,
      framework: agent.framework,
      labels: toJson(agent.labels),
      risk_tier: agent.riskTier,
      status: agent.status,
      owner_id: agent.ownerId,
      behind: toJson(agent.behind),
      owner_left_at: agent.ownerLeftAt,
      owner_left_warned: 0,
      created_at: agent.createdAt,
      last_seen_at: agent.lastSeenAt,
    });
  },

  async updateAgent(run, agent) {
    await run.change(updateRow, {
      id: agent.id,
      name: agent.name,
      fingerprint: agent.fingerprint,
      framework: agent.framework,
      labels: toJson(agent.labels),
      risk_tier: agent.riskTier,
    });
  },

  async setAgentOwner(run, { id, ownerId, behind, ownerLeftAt }) {
    await run.change(setOwner, { id, owner_id: ownerId, behind: toJson(behind), owner_left_at: ownerLeftAt });
  },

  async setPeopleBehindAgent(run, { id, behind }) {
    await run.change(setBehind, { id, behind: toJson(behind) });
  },

  markOwnerLeftWarned: async (run, { id, ownerLeftAt }) =>
    ownerLeftAt !== null && (await run.change(markWarned, { id, leftAt: ownerLeftAt })) === 1,

  async setAgentStatus(run, id, from, to) {
    const [from1, from2 = from1, from3 = from1] = from;
    if (from1 === undefined || from2 === undefined || from3 === undefined) return false;
    return (await run.change(setStatus, { id, to, from1, from2, from3 })) === 1;
  },

  async touchAgents(run, ids, at) {
    for (const id of ids) await run.change(touchRow, { id, at });
  },
};

function toAgent(row: Row<'agents'>): Agent {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    fingerprint: row.fingerprint,
    framework: row.framework,
    labels: fromJson(row.labels),
    riskTier: row.risk_tier,
    status: row.status,
    ownerId: row.owner_id,
    behind: fromJson(row.behind),
    ownerLeftAt: row.owner_left_at,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  };
}
