/** What people name at the command line: projects and agents by id or name, members by id or e-mail address. */

import { foldEmailAddress } from '@permitry/protocol';
import type { AgentSchema, MemberSchema, Static } from '@permitry/protocol/schemas';
import type { Project } from '@permitry/server';
import type { AtProject } from './at-project.ts';
import { type CommandFailure, refused, usage } from './command-failure.ts';

/** The project meant by an id or a name; without either, the only one there is. Throws `CommandFailure`. */
export function chooseProject(projects: readonly Project[], idOrName: string | undefined): Project {
  const names = projects.map(({ name }) => `"${name}"`).join(', ');
  if (idOrName === undefined) {
    const [only, ...others] = projects;
    if (only === undefined)
      throw refused('There is no project yet; make one with: permitry init --mode test', 'not_found');
    if (others.length > 0) throw usage(`There is more than one project; name it with --project: ${names}.`);
    return only;
  }
  const wanted = idOrName.toLowerCase();
  const found = projects.find(({ id, name }) => id === idOrName || name.toLowerCase() === wanted);
  if (!found)
    throw refused(`There is no project "${idOrName}" here; there is ${names || 'none'}.`, 'not_found');
  return found;
}

/** @throws CommandFailure */
export async function findAgent(at: AtProject, idOrName: string): Promise<Static<typeof AgentSchema>> {
  const agents = await at.list<Static<typeof AgentSchema>>('/agents');
  const wanted = idOrName.toLowerCase();
  const found = agents.find(({ id, name }) => id === idOrName || name.toLowerCase() === wanted);
  if (!found) throw unknown('agent', idOrName);
  return found;
}

/** @throws CommandFailure */
export async function findMember(at: AtProject, emailOrId: string): Promise<Static<typeof MemberSchema>> {
  const members = await at.list<Static<typeof MemberSchema>>('/members');
  const wanted = foldEmailAddress(emailOrId.trim());
  const found = members.find(({ id, email }) => id === emailOrId || email === wanted);
  if (!found) throw unknown('member', emailOrId);
  return found;
}

function unknown(what: 'agent' | 'member', named: string): CommandFailure {
  return refused(`There is no ${what} "${named}" in this project; see: permitry ${what} list`, 'not_found');
}
