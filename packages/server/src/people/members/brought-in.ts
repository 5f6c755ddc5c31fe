import type { Caller } from '../../gate/access/caller.ts';
import type { Member } from '../../gate/approvals/people.ts';

/**
 * Whose programs a new member is brought in by when this caller adds or invites them: the person's whose program calls,
 * and those who brought in the caller. A requester could otherwise make its own approver (threat 3), or have the one
 * it made make another.
 */
export function broughtInThrough(caller: Caller, members: readonly Member[]): readonly string[] {
  const person = personOf(caller);
  if (person === null) return [];
  const inherited = members.find(({ userId }) => userId === person.id)?.broughtInBy ?? [];
  return person.byProgram ? [...new Set([person.id, ...inherited])] : inherited;
}

function personOf(caller: Caller): { id: string; byProgram: boolean } | null {
  if (caller.kind === 'session') return { id: caller.user.id, byProgram: false };
  if (caller.kind === 'user') return { id: caller.user.id, byProgram: true };
  return caller.kind === 'secret' ? { id: caller.owner.id, byProgram: true } : null;
}
