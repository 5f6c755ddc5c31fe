/** Finds what people name at the command line: agents by ID or name, members by ID or email address. */
import { foldEmailAddress } from '@permitry/protocol';
import type { AgentSchema, MemberSchema, Static } from '@permitry/protocol/schemas';
import type { AtProject } from './at-project.ts';
import { type CommandFailure, refused } from './command-failure.ts';

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
  return refused(
    `There is no ${what} "${named}" in this project. List them with: permitry ${what} list`,
    'not_found',
  );
}
