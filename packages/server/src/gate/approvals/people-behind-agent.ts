import type { Caller } from '../access/caller.ts';
import type { Member } from './people.ts';

/** Stands for the operator who named no owner: every owner of the project counts. */
export const OPERATOR_BEHIND = 'operator';

/** The person who acts through this credential; undefined for the operator, an agent and an executor. */
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
 * Everyone behind the agent once this caller has made something for it: itself, or a key. What the operator makes for
 * an agent that has an owner is that owner's; without one it counts as every owner's of the project. People whose
 * programs made the caller a member count too, and still do when the caller has left.
 */
export function withPersonBehind(
  { ownerId, behind }: { ownerId: string | null; behind: readonly string[] },
  caller: Caller,
  members: readonly Member[],
): readonly string[] {
  const maker = personThrough(caller) ?? ownerId ?? OPERATOR_BEHIND;
  return addBehind(behind, maker, members);
}

/** One person more, and those whose programs made them a member. */
export function addBehind(
  behind: readonly string[],
  userId: string,
  members: readonly Member[],
): readonly string[] {
  const broughtInBy = members.find((member) => member.userId === userId)?.broughtInBy ?? [];
  return [...new Set([...behind, userId, ...broughtInBy])];
}
