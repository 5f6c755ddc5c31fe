import type { People } from './people.ts';
import { OPERATOR_BEHIND } from './people-behind-agent.ts';

/**
 * Ids of the people who stand behind a request (contract §3, separation of duties): the owner of the service that made
 * it; everyone who ever registered or owned the agent it runs as, or made a key of it; who asked in the requester's
 * place; and those whose programs brought any of these into the project. What the operator made without an owner counts
 * as every owner's of the project, as they are now.
 */
export function peopleBehind(
  { requester, askedBy }: { requester: { ownerId: string | null }; askedBy: string | null },
  agent: { behind: readonly string[] } | null,
  people: People,
): ReadonlySet<string> {
  const asking = [requester.ownerId, askedBy, ...(agent?.behind ?? [])].filter((id) => id !== null);
  const owners = asking.includes(OPERATOR_BEHIND) ? people.approversNamed('role:owner') : [];
  return new Set(
    [...asking, ...owners].flatMap((userId) => [userId, ...(people.member(userId)?.broughtInBy ?? [])]),
  );
}
