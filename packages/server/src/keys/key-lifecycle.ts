/** The states of keys and the times of their changes: only rules, without files or clocks. */
import { addSeconds, type Instant } from '../gate/kernel/instant.ts';
import { JWKS_MAX_AGE_SECONDS } from '../gate/kernel/signer.ts';
import type { KeyState, StoredKey } from './stored-key.ts';

/**
 * How long a key is published before it signs. By then, every copy of the key set that a verifier may still hold
 * contains the key. Twice the time that the set may be cached, for verifiers that round up.
 */
export const NEXT_KEY_LEAD_SECONDS = 2 * JWKS_MAX_AGE_SECONDS;

const DAY_SECONDS = 24 * 3600;

/** Oldest first. */
export function inState(keys: Iterable<StoredKey>, state: KeyState): StoredKey[] {
  return [...keys].filter((key) => key.state === state).sort(byAge);
}

/** An interrupted rotation can leave several active keys. The last activated one counts. */
export function activeOf(keys: Iterable<StoredKey>): StoredKey | undefined {
  return inState(keys, 'active').sort((a, b) => b.activation - a.activation)[0];
}

/** One active key and at least one next key. */
export function isSettled(keys: readonly StoredKey[]): boolean {
  return inState(keys, 'active').length === 1 && inState(keys, 'next').length > 0;
}

/**
 * The key that a rotation would activate, and the earliest time of that rotation. Undefined while there is no next key.
 */
export function successorOf(keys: Iterable<StoredKey>): { key: StoredKey; readyAt: Instant } | undefined {
  const [key] = inState(keys, 'next');
  return key && { key, readyAt: addSeconds(key.created_at, NEXT_KEY_LEAD_SECONDS) };
}

export function activatedAt(key: StoredKey): Instant | null {
  return key.activated_at ?? (key.activation > 0 ? key.changed_at : null);
}

/** Whether the active key has signed for this many days and its successor may take over. */
export function isRotationDue(keys: readonly StoredKey[], days: number, now: Instant): boolean {
  const active = activeOf(keys);
  const successor = successorOf(keys);
  if (!active || !successor || successor.readyAt > now) return false;
  return addSeconds(activatedAt(active) ?? active.created_at, days * DAY_SECONDS) <= now;
}

/** Oldest first. Keys made in the same millisecond have the same order in every process. */
export function byAge(a: StoredKey, b: StoredKey): number {
  const [one, other] = [orderOf(a), orderOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function orderOf(key: StoredKey): string {
  return `${key.created_at} ${key.activation > 0 ? String(key.activation).padStart(9, '0') : 'never'} ${key.kid}`;
}
