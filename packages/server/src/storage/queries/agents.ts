/** Owns the registry of agents. */
import type { AgentIdentity, AgentStatus } from '../../gate/access/agent-identity.ts';
import { AGENT_PROFILE, type AgentReader, type AgentWriter } from '../../gate/agents/agent.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn, listIn, pagesOf, rowsOf } from '../sql/read-statements.ts';
import { agents } from '../sql/tables.ts';
import { guarded, insertInto, touch, updateOf } from '../sql/write-statements.ts';

const find = findIn(agents, 'projectId', 'id');
const findByName = findIn(agents, 'projectId', 'name');
const listOwnedBy = listIn(agents, { where: ['projectId', 'ownerId'] });
const listPage = pagesOf(agents, 'projectId');
const toWarnOf = rowsOf(agents, (rows, $: { leftBefore: string; limit: number }) =>
  rows
    .where('owner_left_at', '<', $.leftBefore)
    .where('owner_left_warned', '=', 0)
    .where('status', '<>', 'revoked')
    .orderBy('owner_left_at')
    .limit($.limit),
);

const setOwner = updateOf(agents, {
  set: ['ownerId', 'behind', 'ownerLeftAt', 'ownerLeftWarned'],
  where: ['id'],
});

const markWarned = guarded(agents, (rows, $: { id: string; leftAt: string }) =>
  rows
    .set({ owner_left_warned: 1 })
    .where('id', '=', $.id)
    .where('owner_left_at', '=', $.leftAt)
    .where('status', '<>', 'revoked')
    .where('owner_left_warned', '=', 0),
);

type Status = { id: string; to: AgentStatus; from1: AgentStatus; from2: AgentStatus; from3: AgentStatus };

const setStatus = guarded(agents, (rows, $: Status) =>
  rows.set({ status: $.to }).where('id', '=', $.id).where('status', 'in', [$.from1, $.from2, $.from3]),
);

export const agentQueries: OverRunner<AgentReader & AgentWriter> = {
  findAgent: (run, projectId, id) => find(run, { projectId, id }),

  findAgentByName: (run, projectId, name) => findByName(run, { projectId, name }),

  listAgentsToWarnOf: (run, leftBefore, limit) => toWarnOf.all(run, { leftBefore, limit }),

  listAgentsOwnedBy: (run, projectId, ownerId) => listOwnedBy(run, { projectId, ownerId }),

  listAgents: (run, projectId, page) => listPage(run, { projectId }, page),

  insertAgent: insertInto(agents),

  updateAgent: updateOf(agents, { set: AGENT_PROFILE, where: ['id'] }),

  setAgentOwner: (run, agent) => setOwner(run, { ...agent, ownerLeftWarned: false }),

  setPeopleBehindAgent: updateOf(agents, { set: ['behind'], where: ['id'] }),

  markOwnerLeftWarned: async (run, { id, ownerLeftAt }) =>
    ownerLeftAt !== null && markWarned(run, { id, leftAt: ownerLeftAt }),

  async setAgentStatus(run, id, from, to) {
    const [from1, from2 = from1, from3 = from1] = from;
    if (from1 === undefined || from2 === undefined || from3 === undefined) return false;
    return setStatus(run, { id, to, from1, from2, from3 });
  },

  touchAgents: touch(agents),
};

/** The part of an agent that the look-up of its key returns. */
export function toAgentIdentity(agent: AgentIdentity): AgentIdentity {
  const { id, name, framework, labels, riskTier, status, ownerId } = agent;
  return { id, name, framework, labels, riskTier, status, ownerId };
}
