/**
 * Pairings (RFC 8628): a program at a terminal shows a code. A signed-in person types it into a page and so makes the
 * program theirs. The program gets a token, or its key counts as the person's device key.
 */
import type { DeviceKeyJwk } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';

/** From the start until the program has its answer. */
export const PAIRING_LIFETIME_SECONDS = 10 * 60;
/** Between two polls of the program. Each poll that comes too early adds as much (RFC 8628 §3.5). */
export const POLL_INTERVAL_SECONDS = 5;

export interface Pairing {
  /** `par_…`. */
  id: string;
  /** Hex SHA-256 of the code the program polls with. */
  deviceCodeHash: string;
  /** Eight consonants in the form that is compared: without the dash. */
  userCode: string;
  purpose: 'token' | 'device_key';
  /** The name the program gives itself or its machine. */
  name: string;
  /** Rights of the token, beyond reading. */
  rights: readonly 'decide'[];
  /** Of the token, from its creation; null for a device key. */
  lifetimeSeconds: number | null;
  jwk: DeviceKeyJwk | null;
  /** Where the program polled from, for the person to compare. */
  address: string | null;
  /** `taken`: the program received the token. */
  status: 'pending' | 'approved' | 'denied' | 'taken';
  intervalSeconds: number;
  polledAt: Instant | null;
  /** The person who answered. */
  userId: string | null;
  deviceKeyId: string | null;
  createdAt: Instant;
  expiresAt: Instant;
}

export interface PairingReader {
  findPairing(deviceCodeHash: string): Promise<Pairing | undefined>;
  findPairingByUserCode(userCode: string): Promise<Pairing | undefined>;
}

/** Each change is one guarded statement. It returns whether this caller made the change. */
export interface PairingWriter {
  /** False when one of its codes is in use. */
  insertPairing(pairing: Pairing): Promise<boolean>;
  /** Counts one poll of the program. Guard: pending, and last polled at `notAfter` or before. */
  pollPairing(pairingId: string, at: Instant, notAfter: Instant): Promise<boolean>;
  /** Lengthens the interval between polls, from now on. */
  slowPairing(pairingId: string, intervalSeconds: number, at: Instant): Promise<void>;
  /** Guard: pending and not expired. */
  answerPairing(
    pairingId: string,
    answer: { status: 'approved' | 'denied'; userId: string; deviceKeyId: string | null },
    now: Instant,
  ): Promise<boolean>;
  /** Guard: approved, for a token and not expired. */
  takePairing(pairingId: string, now: Instant): Promise<boolean>;
  /** Deletes every pairing this person answered. A program that has not fetched its token yet gets none. */
  deletePairingsOf(userId: string): Promise<void>;
  /** Returns how many were deleted, at most `limit`. */
  deleteExpiredPairings(now: Instant, limit: number): Promise<number>;
}
