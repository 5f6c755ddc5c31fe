import { foldEmailAddress } from '@permitry/protocol';
import { type GateParts, listMembers, type Member } from '@permitry/server';
import { allPages } from './all-pages.ts';
import { CommandFailure } from './command-failure.ts';
import { OPERATOR } from './operator.ts';

/** The member of the project meant by an e-mail address or a user id. Throws `CommandFailure`. */
export async function findMember(gate: GateParts, projectId: string, emailOrId: string): Promise<Member> {
  const members = await allPages((page) => listMembers(gate, OPERATOR, { projectId, ...page }));
  const wanted = foldEmailAddress(emailOrId.trim());
  const found = members.find(({ userId, email }) => userId === emailOrId || email === wanted);
  if (!found)
    throw new CommandFailure(
      1,
      `There is no member "${emailOrId}" in this project; see: permitry member list`,
      { code: 'not_found' },
    );
  return found;
}
