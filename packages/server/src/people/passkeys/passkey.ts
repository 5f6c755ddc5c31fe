import type { PasskeyJwk } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';

/** The public half of a key pair on a person's device (WebAuthn). */
export interface Passkey {
  /** `pky_…`. */
  id: string;
  userId: string;
  /** Chosen by the authenticator, base64url. Unique in the gate. */
  credentialId: string;
  /** COSE_Key (RFC 9052 §7), base64url. */
  publicKey: string;
  /** The same public key as a JWK, for key files. */
  jwk: PasskeyJwk;
  /** The authenticator's last count, which only rises. It stays 0 if the authenticator does not count. */
  signCount: number;
  /** How to reach the authenticator, as the browser reported it. Only a hint to the next browser. */
  transports: readonly string[];
  /** Whether the key also exists outside this one device. */
  backedUp: boolean;
  name: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
}

/** The challenge that a browser must have signed next. It works once. */
export interface PasskeyChallenge {
  /** Hex SHA-256 of the ticket that names the challenge. */
  ticketHash: string;
  purpose: 'register' | 'sign_in' | 'confirm';
  /** The person the challenge is for. Null: anyone who signs in. */
  userId: string | null;
  /** Random, base64url. */
  challenge: string;
  expiresAt: Instant;
}

export interface PasskeyReader {
  findPasskey(credentialId: string): Promise<Passkey | undefined>;
  /** Oldest first. */
  listPasskeys(userId: string): Promise<readonly Passkey[]>;
}

export interface PasskeyWriter {
  /** False when the credential is already known, even as another person's. */
  insertPasskey(passkey: Passkey): Promise<boolean>;
  /** Guard: the passkey belongs to this person. */
  renamePasskey(userId: string, passkeyId: string, name: string): Promise<boolean>;
  /** Guard: the passkey belongs to this person. */
  deletePasskey(userId: string, passkeyId: string): Promise<boolean>;
  /** Guard: the counter is higher than the last one, or both are 0. */
  usePasskey(passkeyId: string, use: { signCount: number; backedUp: boolean; at: Instant }): Promise<boolean>;
  /** Deletes all of a person's passkeys and their open challenges. */
  deletePasskeysOf(userId: string): Promise<void>;
  insertPasskeyChallenge(challenge: PasskeyChallenge): Promise<void>;
  /** Returns the challenge only to the first caller. Undefined if it has expired. */
  takePasskeyChallenge(
    ticketHash: string,
    purpose: PasskeyChallenge['purpose'],
    now: Instant,
  ): Promise<PasskeyChallenge | undefined>;
  /** Deletes at most `limit` challenges. Returns how many were deleted. */
  deleteExpiredPasskeyChallenges(now: Instant, limit: number): Promise<number>;
}
