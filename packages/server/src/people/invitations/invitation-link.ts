/**
 * Invitations ask a person to become a member, by a link that works once. Anyone who can invite could also add the
 * member directly. Nobody invites above their own role.
 */
import type { PeopleDeps } from '../people-deps.ts';

/** Links are valid for a week. */
export const INVITATION_LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** The token is in the fragment, which no server, log or Referer ever sees. */
export function invitationLink(gate: Pick<PeopleDeps<'issuer'>, 'issuer'>, token: string): string {
  return `${gate.issuer}/invitation#${token}`;
}
