/** Agents on PostgreSQL, whose columns are case-sensitive: a name is compared as in its unique index. */
import { sql } from 'kysely';
import type { AgentReader } from '../../../gate/agents/agent.ts';
import { agentQueries } from '../../queries/agents.ts';
import { type OverRunner, prepare } from '../../sql/prepared-query.ts';

const findIdByName = prepare((db, $: { projectId: string; name: string }) =>
  db
    .selectFrom('agents')
    .select('id')
    .where('project_id', '=', $.projectId)
    .where(sql`lower(${sql.ref('name')})`, '=', $.name),
);

export const postgresAgents: Partial<OverRunner<AgentReader>> = {
  async findAgentByName(run, projectId, name) {
    const found = await run.first(findIdByName, { projectId, name: name.toLowerCase() });
    return found && agentQueries.findAgent(run, projectId, found.id);
  },
};
