import type { Caller } from '../access/caller.ts';
import type { Member } from './people.ts';

/** Represents the operator who named no owner: every owner of the project counts. */
export const OPERATOR_BEHIND = 'operator';

/** The person who acts through this credential. Undefined for the operator, an agent and an executor. */
export function personThrough(caller: Caller): string | undefined {
  switch (caller.kind) {
    case 'session':
    case 'user':
      return caller.user.id;
    case 'secret':
      return caller.owner.id;
    default:
      return undefined;
  }
}

/**
 * Everyone behind the agent after this caller created the agent or a key for it. If the operator creates something for
 * an agent with an owner, it counts as the owner's. Without an owner it counts as every project owner's. People whose
 * programs added the caller as a member count too, even after the caller left the project.
 */
export function withPersonBehind(
  { ownerId, behind }: { ownerId: string | null; behind: readonly string[] },
  caller: Caller,
  members: readonly Member[],
): readonly string[] {
  const maker = personThrough(caller) ?? ownerId ?? OPERATOR_BEHIND;
  return addBehind(behind, maker, members);
}

/** Adds one person, and the people whose programs added that person as a member. */
export function addBehind(
  behind: readonly string[],
  userId: string,
  members: readonly Member[],
): readonly string[] {
  const broughtInBy = members.find((member) => member.userId === userId)?.broughtInBy ?? [];
  return [...new Set([...behind, userId, ...broughtInBy])];
}
