/**
 * Owns invitations: somebody is asked to become a member, and becomes one by a link that works once. Whoever makes one
 * could have added the member; nobody invites above their own role.
 */
import type { PeopleDeps } from '../people-deps.ts';

/** Links work for a week. */
export const INVITATION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** The token stands in the fragment, which no server, log or Referer ever sees. */
export function invitationLink(gate: Pick<PeopleDeps<'issuer'>, 'issuer'>, token: string): string {
  return `${gate.issuer}/invitation#${token}`;
}
