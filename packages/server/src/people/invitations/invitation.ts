import type { Role } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';

/** An invitation to become a member, by a link that works once. */
export interface Invitation {
  /** `inv_…`. */
  id: string;
  projectId: string;
  /** The normalised address. After an erasure, the person's ID. */
  email: string;
  role: Role;
  /** Hex SHA-256 of the token in the link. */
  tokenHash: string;
  /** The person who invited. Null: the operator. */
  invitedBy: string | null;
  invitedByDisplay: string;
  /** People whose programs made this person a member, directly or through another member. */
  broughtInBy: readonly string[];
  createdAt: Instant;
  expiresAt: Instant;
  acceptedAt: Instant | null;
  acceptedBy: string | null;
  revokedAt: Instant | null;
}

/** Whether the link still works. */
export function isOpen(
  invitation: Pick<Invitation, 'acceptedAt' | 'revokedAt' | 'expiresAt'>,
  now: Instant,
): boolean {
  return invitation.acceptedAt === null && invitation.revokedAt === null && now < invitation.expiresAt;
}

export interface InvitationReader {
  findInvitation(invitationId: string): Promise<Invitation | undefined>;
  findInvitationByToken(tokenHash: string): Promise<Invitation | undefined>;
  /** Newest first. */
  listInvitations(
    projectId: string,
    page: { beforeId?: string; limit: number },
  ): Promise<readonly Invitation[]>;
  /** Lists invitations in all projects that are neither accepted nor revoked, including expired ones. */
  listInvitationsTo(email: string): Promise<readonly Invitation[]>;
}

export interface InvitationWriter {
  insertInvitation(invitation: Invitation): Promise<void>;
  /** Sets a new link with a new expiry. Guard: neither accepted nor revoked. */
  renewInvitation(
    renewed: Pick<Invitation, 'id' | 'tokenHash' | 'expiresAt' | 'broughtInBy'>,
  ): Promise<boolean>;
  /** Guard: neither accepted nor revoked, and not expired. */
  acceptInvitation(invitationId: string, userId: string, at: Instant): Promise<boolean>;
  /** Guard: neither accepted nor revoked. */
  revokeInvitation(invitationId: string, at: Instant): Promise<boolean>;
  /** Replaces the address with `erased` in this project's invitations. */
  eraseInvitee(projectId: string, email: string, erased: string): Promise<void>;
}
