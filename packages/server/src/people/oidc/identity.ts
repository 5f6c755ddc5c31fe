import type { Instant } from '../../gate/kernel/instant.ts';

/** A person as an OpenID provider knows them. */
export interface Identity {
  /** `idn_…`. */
  id: string;
  userId: string;
  /** The provider's id in the settings. */
  provider: string;
  issuer: string;
  /** Never reassigned by the issuer: with it, what the person is found by. */
  subject: string;
  /** The address or name the provider told last. */
  display: string;
  createdAt: Instant;
  lastUsedAt: Instant;
}

export interface IdentityReader {
  findIdentity(issuer: string, subject: string): Promise<Identity | undefined>;
  /** Oldest first. */
  listIdentities(userId: string): Promise<readonly Identity[]>;
  /** Whether anybody at all has a password, a passkey or an identity. */
  hasAnybodyToSignIn(): Promise<boolean>;
}

export interface IdentityWriter {
  insertIdentity(identity: Identity): Promise<void>;
  touchIdentity(identityId: string, display: string, at: Instant): Promise<void>;
  deleteIdentity(userId: string, identityId: string): Promise<boolean>;
  renameUser(userId: string, name: string): Promise<void>;
  /** Guard: nobody else has the address. */
  changeAddress(userId: string, email: string): Promise<boolean>;
  /** Ends every session, link, ticket and open invitation there is: a copy cannot know which were used or ended since. */
  endEveryWayBack(at: Instant): Promise<void>;
  /** All that the person could sign in with, but sessions and passkeys, which have their own. */
  deleteSignIn(userId: string): Promise<void>;
}
