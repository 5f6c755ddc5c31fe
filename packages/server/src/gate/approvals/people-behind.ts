import type { People } from './people.ts';
import { OPERATOR_BEHIND } from './people-behind-agent.ts';

/**
 * Ids of the people behind a request (contract §3, separation of duties):
 * - the owner of the service that sent the request;
 * - everyone who ever registered or owned its agent or created a key for it;
 * - the person who resubmitted the request for the requester;
 * - the people whose programs added any of these to the project.
 *
 * A thing that the operator created without an owner counts as every current owner's.
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
