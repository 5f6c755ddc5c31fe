import type { Instant } from '../../gate/kernel/instant.ts';

/** A person as an OpenID provider knows them. */
export interface Identity {
  /** `idn_…`. */
  id: string;
  userId: string;
  /** The provider's ID in the settings. */
  provider: string;
  issuer: string;
  /** The issuer never gives a subject to another person. Issuer and subject together identify the person. */
  subject: string;
  /** The address or name that the provider gave last. */
  display: string;
  createdAt: Instant;
  lastUsedAt: Instant;
}

export interface IdentityReader {
  findIdentity(issuer: string, subject: string): Promise<Identity | undefined>;
  /** Oldest first. */
  listIdentities(userId: string): Promise<readonly Identity[]>;
  /** Whether any user has a password, a passkey or an identity. */
  hasAnybodyToSignIn(): Promise<boolean>;
}

export interface IdentityWriter {
  insertIdentity(identity: Identity): Promise<void>;
  touchIdentity(identityId: string, display: string, at: Instant): Promise<void>;
  deleteIdentity(userId: string, identityId: string): Promise<boolean>;
  renameUser(userId: string, name: string): Promise<void>;
  /** Guard: no other user has the address. */
  changeAddress(userId: string, email: string): Promise<boolean>;
  /**
   * Ends every session, link, ticket and open invitation: a restored copy cannot know which of them were used or ended
   * after the backup.
   */
  endEveryWayBack(at: Instant): Promise<void>;
  /** Deletes everything the person could sign in with, except sessions and passkeys, which have their own functions. */
  deleteSignIn(userId: string): Promise<void>;
}
