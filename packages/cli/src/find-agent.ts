import { type Agent, type GateParts, listAgents } from '@permitry/server';
import { allPages } from './all-pages.ts';
import { CommandFailure } from './command-failure.ts';
import { OPERATOR } from './operator.ts';

/** The agent of the project meant by an id or a name. Throws `CommandFailure`. */
export async function findAgent(gate: GateParts, projectId: string, idOrName: string): Promise<Agent> {
  const agents = await allPages((page) => listAgents(gate, OPERATOR, { projectId, ...page }));
  const wanted = idOrName.toLowerCase();
  const found = agents.find(({ id, name }) => id === idOrName || name.toLowerCase() === wanted);
  if (!found)
    throw new CommandFailure(1, `There is no agent "${idOrName}" in this project; see: permitry agent list`, {
      code: 'not_found',
    });
  return found;
}
