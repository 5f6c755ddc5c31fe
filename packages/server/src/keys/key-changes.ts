/**
 * Rules for key changes, without storage. Each rule returns the keys that change, in the order to write them. Because
 * of that order, one key can still sign after a crash between two writes.
 */
import { addSeconds, type Instant } from '../gate/kernel/instant.ts';
import type { SigningKeyChange } from '../gate/kernel/signing-key.ts';
import { activeOf, inState, successorOf } from './key-lifecycle.ts';
import { NextKeyTooYoungError } from './next-key-too-young-error.ts';
import { type MadeKey, withoutPrivatePart } from './private-parts.ts';
import type { StoredKey } from './stored-key.ts';
import { thumbprint } from './thumbprint.ts';

type Keys = readonly StoredKey[];

/** How long one process may take to record a change. After that, any process may record it. */
const RECORDING_SECONDS = 30;

/**
 * Returns nothing while there is no next key.
 * @throws NextKeyTooYoungError while verifiers may not know the next key, unless `early`
 */
export function rotated(keys: Keys, now: Instant, by: SigningKeyChange['by'], early = false): StoredKey[] {
  const successor = successorOf(keys);
  if (!successor) return [];
  if (successor.readyAt > now && !early) throw new NextKeyTooYoungError(successor.readyAt);
  const other = activeOf(keys)?.kid ?? null;
  return promoted(keys, now, withUnrecorded(successor.key, { kind: 'rotated', at: now, by, other }));
}

/**
 * An interrupted rotation can leave several active keys: the last activated one stays. If none is active, the next key
 * becomes active.
 */
export function withOneActive(keys: Keys, now: Instant): StoredKey[] {
  const next = successorOf(keys)?.key;
  const active = activeOf(keys);
  if (!active) return next ? promoted(keys, now, next) : [];
  return othersRetired(keys, now, active);
}

/** Marks these keys as compromised. A key that was withdrawn by hand, in its file, still has to be recorded. */
export function withdrawn(keys: Keys, now: Instant, kids: readonly string[]): StoredKey[] {
  const change = { kind: 'compromised', at: now, by: 'operator', other: null } as const;
  return kids
    .map((kid) => getKey(keys, kid))
    .filter((key) => key.state !== 'compromised' || key.compromised_at === undefined)
    .map((key) => withUnrecorded(withoutSecret(key), change))
    .map((key) => ({ ...key, state: 'compromised', compromised_at: now }));
}

/** Reserves the keys with changes that no process is recording. For a while, no other process records these changes. */
export function takenToRecord(keys: Keys, now: Instant): StoredKey[] {
  return keys
    .filter(({ unrecorded, taken_until = '' }) => unrecorded && taken_until <= now)
    .map((key) => ({ ...key, taken_until: addSeconds(now, RECORDING_SECONDS) }));
}

/** Removes recorded changes from their keys. A change made in the meantime stays, to be recorded later. */
export function recorded(keys: Keys, changes: readonly SigningKeyChange[]): StoredKey[] {
  return keys.flatMap(({ unrecorded = [], taken_until: _, ...key }) => {
    const left = unrecorded.filter(
      ({ kind, at }) => !changes.some((one) => one.kid === key.kid && one.kind === kind && one.at === at),
    );
    if (left.length === unrecorded.length) return [];
    return [left.length > 0 ? { ...key, unrecorded: left } : key];
  });
}

/** A key that will sign after the active one. */
export function newKey({ x, y, ...form }: MadeKey, now: Instant): StoredKey {
  const kid = thumbprint({ x, y });
  const jwk = { kty: 'EC', crv: 'P-256', x, y, ...form, alg: 'ES256', use: 'sig', kid } as const;
  return { ...jwk, state: 'next', activation: 0, created_at: now, changed_at: now };
}

export function getKey(keys: Keys, kid: string): StoredKey {
  const key = keys.find((one) => one.kid === kid);
  if (!key) throw new Error(`There is no key ${kid} here; see: permitry signing-keys list`);
  return key;
}

function withUnrecorded(key: StoredKey, change: Omit<SigningKeyChange, 'kid'>): StoredKey {
  return { ...key, unrecorded: [...(key.unrecorded ?? []), change] };
}

function promoted(keys: Keys, now: Instant, key: StoredKey): StoredKey[] {
  const activation = Math.max(0, ...keys.map((each) => each.activation)) + 1;
  return [{ ...key, state: 'active', activation, activated_at: now }, ...othersRetired(keys, now, key)];
}

function othersRetired(keys: Keys, now: Instant, active: StoredKey): StoredKey[] {
  return inState(keys, 'active')
    .filter(({ kid }) => kid !== active.kid)
    .map((key) => ({ ...withoutSecret(key), state: 'retired', retired_at: now }));
}

/** Keeps the reference to a private part in a token until that part is destroyed there. */
function withoutSecret(key: StoredKey): StoredKey {
  return { ...withoutPrivatePart(key), ...(key.token ? { token: key.token } : {}) };
}
