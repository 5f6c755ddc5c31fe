import type { Caller } from '../../gate/access/caller.ts';
import type { Member } from '../../gate/approvals/people.ts';

/**
 * The people behind a new member whom this caller adds or invites: the person whose program calls, and the people
 * behind the caller. Otherwise a requester could make its own approver (threat 3), or have that approver make another
 * one.
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
