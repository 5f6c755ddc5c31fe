import type { People } from './people.ts';
import { OPERATOR_BEHIND } from './people-behind-agent.ts';

/**
 * Ids of the people behind a request (contract §3, separation of duties). They are the owner of the service that sent
 * it, and everyone who ever registered or owned its agent or created a key for it. Also the person who resubmitted it
 * for the requester, and those whose programs brought any of these into the project. What the operator created without
 * an owner counts as every current owner's.
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
