/**
 * The key file says which passkeys and device keys belong to whom. The auditor pins it before any check; it is never
 * fetched.
 */
import { decodeBase64url } from '../base64url.ts';
import { foldEmailAddress } from '../email-address.ts';
import { hasExactly, isInstant, isObject, isShortText, type PropertyChecks } from '../properties.ts';
import { type DeviceKeyJwk, deviceKeyId, isDeviceKeyJwk } from './device-public-key.ts';
import { isPasskeyJwk, type PasskeyJwk } from './passkey-public-key.ts';

/** One passkey of a person. */
export interface ApproverKey {
  /** Credential id, base64url. */
  id: string;
  public_key: PasskeyJwk;
  /** The domain that the passkey was created for. */
  rp_id: string;
  /** The page that the passkey is used on: the origin of base_url. */
  origin: string;
  /** ISO 8601 in UTC. */
  created_at: string;
}

/** One device key of a person: a file protected by a passphrase. */
export interface ApproverDeviceKey {
  /** RFC 7638 thumbprint of the key. */
  id: string;
  public_key: DeviceKeyJwk;
  /** ISO 8601 in UTC. */
  created_at: string;
}

/** The file that a person exports of their own keys, and that `permitry receipt verify --approvers` reads. */
export interface ApproverKeyFile {
  version: 1;
  approvers: readonly {
    email: string;
    /** Passkeys. */
    keys: readonly ApproverKey[];
    /** Optional: a person may have none. */
    device_keys?: readonly ApproverDeviceKey[];
  }[];
}

/** Keys by person, then by key id. */
export interface ApproverKeys {
  /** Whether the files name this person at all. The comparison of addresses ignores case. */
  knows(email: string): boolean;
  /** Finds a passkey. */
  find(email: string, credentialId: string): ApproverKey | undefined;
  findDevice(email: string, keyId: string): ApproverDeviceKey | undefined;
}

const KEY_CHECKS: PropertyChecks<ApproverKey> = {
  id: (value) => typeof value === 'string' && value !== '' && decodeBase64url(value) !== undefined,
  public_key: isPasskeyJwk,
  rp_id: isShortText,
  origin: isShortText,
  created_at: isInstant,
};

const DEVICE_KEY_CHECKS: PropertyChecks<ApproverDeviceKey> = {
  id: isShortText,
  public_key: isDeviceKeyJwk,
  created_at: isInstant,
};

/**
 * Reads one or more key files as one, because each approver hands over their own.
 *
 * @param files parsed JSON.
 * @throws TypeError that says what is wrong and where: an unknown form or version, or a key under an id that is not its
 * own. Also for a key that appears twice, with different content or for different people.
 * @example const approverKeys = readApproverKeys([JSON.parse(text)]);
 */
export function readApproverKeys(files: readonly unknown[]): ApproverKeys {
  const people = new Set<string>();
  const passkeys = new KeyRing<ApproverKey>(isSameKey);
  // A device key's id is derived from its content, so the same id means the same key.
  const deviceKeys = new KeyRing<ApproverDeviceKey>(() => true);
  for (const { email, keys, device_keys: ofDevices = [] } of files.flatMap(listEntries)) {
    const person = foldEmailAddress(email);
    people.add(person);
    for (const key of keys) passkeys.add(person, key);
    for (const key of ofDevices) deviceKeys.add(person, key);
  }
  return {
    knows: (email) => people.has(foldEmailAddress(email)),
    find: (email, credentialId) => passkeys.find(foldEmailAddress(email), credentialId),
    findDevice: (email, keyId) => deviceKeys.find(foldEmailAddress(email), keyId),
  };
}

/** Keys of one kind. Each belongs to one person. */
class KeyRing<K extends { id: string }> {
  readonly #isSame: (one: K, other: K) => boolean;
  readonly #keys = new Map<string, { person: string; key: K }>();

  constructor(isSame: (one: K, other: K) => boolean) {
    this.#isSame = isSame;
  }

  add(person: string, key: K): void {
    const known = this.#keys.get(key.id);
    if (known && known.person !== person) {
      throw new TypeError(`The key ${key.id} is listed under both ${known.person} and ${person}.`);
    }
    if (known && !this.#isSame(known.key, key)) {
      throw new TypeError(`The key ${key.id} of ${person} appears twice.`);
    }
    this.#keys.set(key.id, { person, key });
  }

  find(person: string, id: string): K | undefined {
    const known = this.#keys.get(id);
    return known?.person === person ? known.key : undefined;
  }
}

function listEntries(file: unknown): ApproverKeyFile['approvers'] {
  if (!isObject(file) || file.version !== 1 || !Array.isArray(file.approvers)) {
    throw new TypeError('A key file is { "version": 1, "approvers": [{ "email", "keys", "device_keys" }] }.');
  }
  const approvers: unknown[] = file.approvers;
  return approvers.map((entry, at) => {
    if (
      !isObject(entry) ||
      !isShortText(entry.email) ||
      !Array.isArray(entry.keys) ||
      !(entry.device_keys === undefined || Array.isArray(entry.device_keys))
    ) {
      throw new TypeError(`approvers[${at}] is not { "email", "keys", "device_keys" }.`);
    }
    const keys: unknown[] = entry.keys;
    const deviceKeys: unknown[] = entry.device_keys ?? [];
    return {
      email: entry.email,
      keys: keys.map((key, number) => {
        if (hasExactly(key, KEY_CHECKS)) return key;
        throw new TypeError(
          `approvers[${at}].keys[${number}] is not { "id", "public_key", "rp_id", "origin", "created_at" } with a public key for ES256, RS256 or EdDSA.`,
        );
      }),
      device_keys: deviceKeys.map((key, number) => {
        if (hasExactly(key, DEVICE_KEY_CHECKS) && key.id === deviceKeyId(key.public_key)) return key;
        throw new TypeError(
          `approvers[${at}].device_keys[${number}] is not { "id", "public_key", "created_at" } with a public key on P-256 and its thumbprint.`,
        );
      }),
    };
  });
}

/** A passkey that is in both an old and a new export must be the same in both. */
function isSameKey(one: ApproverKey, other: ApproverKey): boolean {
  const { alg, ...parts } = one.public_key;
  const others: Record<string, unknown> = { ...other.public_key };
  return (
    one.rp_id === other.rp_id &&
    one.origin === other.origin &&
    others.alg === alg &&
    Object.entries(parts).every(([name, value]) => others[name] === value)
  );
}
