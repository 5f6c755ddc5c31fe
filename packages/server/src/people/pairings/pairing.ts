/**
 * Pairings: a program at a terminal shows a code, and a person who types it into a page they are signed in to makes the
 * program theirs (RFC 8628). What it gets is a token, or that a key of its making counts as the person's device.
 */
import type { DeviceKeyJwk } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';

/** From its start until the program has its answer. */
export const PAIRING_LIFETIME_SECONDS = 10 * 60;
/** Between two questions of the program; each that comes sooner adds as much (RFC 8628 §3.5). */
export const POLL_INTERVAL_SECONDS = 5;

export interface Pairing {
  /** `par_…`. */
  id: string;
  /** Hex SHA-256 of what the program asks with. */
  deviceCodeHash: string;
  /** Eight consonants, as they are compared: without the dash. */
  userCode: string;
  purpose: 'token' | 'device_key';
  /** As the program calls itself, or its machine. */
  name: string;
  /** Of the token, beyond reading. */
  rights: readonly 'decide'[];
  /** Of the token, from when it is made; null for a device key. */
  lifetimeSeconds: number | null;
  jwk: DeviceKeyJwk | null;
  /** Where the program asked from, for the person to compare. */
  address: string | null;
  /** `taken`: the token was handed out. */
  status: 'pending' | 'approved' | 'denied' | 'taken';
  intervalSeconds: number;
  polledAt: Instant | null;
  /** Who answered. */
  userId: string | null;
  deviceKeyId: string | null;
  createdAt: Instant;
  expiresAt: Instant;
}

export interface PairingReader {
  findPairing(deviceCodeHash: string): Promise<Pairing | undefined>;
  findPairingByUserCode(userCode: string): Promise<Pairing | undefined>;
}

/** Each change is one guarded statement; it answers whether this caller made it. */
export interface PairingWriter {
  /** False when one of its codes is in use. */
  insertPairing(pairing: Pairing): Promise<boolean>;
  /** Counts one question of the program. Guard: pending, and last asked at `notAfter` or before. */
  pollPairing(pairingId: string, at: Instant, notAfter: Instant): Promise<boolean>;
  /** Asks for more time between questions, from now on. */
  slowPairing(pairingId: string, intervalSeconds: number, at: Instant): Promise<void>;
  /** Guard: pending, not past its time. */
  answerPairing(
    pairingId: string,
    answer: { status: 'approved' | 'denied'; userId: string; deviceKeyId: string | null },
    now: Instant,
  ): Promise<boolean>;
  /** Guard: approved, for a token, not past its time. */
  takePairing(pairingId: string, now: Instant): Promise<boolean>;
  /** All that this person answered: who has not fetched a token by now gets none. */
  deletePairingsOf(userId: string): Promise<void>;
  /** Answers how many were deleted, at most `limit`. */
  deleteExpiredPairings(now: Instant, limit: number): Promise<number>;
}
