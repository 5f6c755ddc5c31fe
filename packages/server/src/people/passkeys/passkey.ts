import type { PasskeyJwk } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';

/** A key pair on a device of a person (WebAuthn); here is its public half. */
export interface Passkey {
  /** `pky_…`. */
  id: string;
  userId: string;
  /** Given by the authenticator, base64url; unique in the gate. */
  credentialId: string;
  /** COSE_Key (RFC 9052 §7), base64url. */
  publicKey: string;
  /** The same key, for key files. */
  jwk: PasskeyJwk;
  /** As the authenticator stated last; it only rises, or stays 0 where it does not count. */
  signCount: number;
  /** How it can be reached, as the browser told; only a hint to the next browser. */
  transports: readonly string[];
  /** Whether it is kept beyond this one device. */
  backedUp: boolean;
  name: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
}

/** What a browser is to have signed next, once. */
export interface PasskeyChallenge {
  /** Hex SHA-256 of the ticket by which it is named. */
  ticketHash: string;
  purpose: 'register' | 'sign_in' | 'confirm';
  /** Whose; null: whoever signs in. */
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
  /** False when the credential is known already, whoever has it. */
  insertPasskey(passkey: Passkey): Promise<boolean>;
  /** Guard: it is this person's. */
  renamePasskey(userId: string, passkeyId: string, name: string): Promise<boolean>;
  /** Guard: it is this person's. */
  deletePasskey(userId: string, passkeyId: string): Promise<boolean>;
  /** Guard: the counter is higher than the last one, or both are 0. */
  usePasskey(passkeyId: string, use: { signCount: number; backedUp: boolean; at: Instant }): Promise<boolean>;
  /** All of a person, with the challenges that wait for them. */
  deletePasskeysOf(userId: string): Promise<void>;
  insertPasskeyChallenge(challenge: PasskeyChallenge): Promise<void>;
  /** Whoever takes it was the first, and the last; undefined for one past its time as well. */
  takePasskeyChallenge(
    ticketHash: string,
    purpose: PasskeyChallenge['purpose'],
    now: Instant,
  ): Promise<PasskeyChallenge | undefined>;
  /** Answers how many were deleted, at most `limit`. */
  deleteExpiredPasskeyChallenges(now: Instant, limit: number): Promise<number>;
}
