/**
 * Pairings (RFC 8628): a program at a terminal shows a code. A signed-in person types the code into a page to claim the
 * program. The program then gets a token, or its key becomes one of the person's device keys.
 */
import type { DeviceKeyJwk } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';

/** From the start until the program receives the answer. */
export const PAIRING_LIFETIME_SECONDS = 10 * 60;
/**
 * Minimum time between two polls of the program. Each poll that comes too early adds as many seconds again (RFC 8628
 * §3.5).
 */
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
  /** Rights of the token beyond reading. */
  rights: readonly 'decide'[];
  /** Lifetime of the token from its creation; null for a device key. */
  lifetimeSeconds: number | null;
  jwk: DeviceKeyJwk | null;
  /** The address from which the program polled, for the person to compare. */
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

/** Each change is one guarded statement and returns whether this caller made the change. */
export interface PairingWriter {
  /** False when a pairing already uses one of its codes. */
  insertPairing(pairing: Pairing): Promise<boolean>;
  /** Counts one poll of the program. Guard: the pairing is pending, and the last poll was at `notAfter` or before. */
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
  /** Deletes at most `limit` pairings. Returns how many were deleted. */
  deleteExpiredPairings(now: Instant, limit: number): Promise<number>;
}
