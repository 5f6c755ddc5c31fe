/** The key file: whose passkeys are whose, pinned by the auditor before anything is checked, never fetched. */
import { decodeBase64url } from '../base64url.ts';
import { hasExactly, isInstant, isObject, isShortText, type MemberChecks } from '../members.ts';
import { isPasskeyJwk, type PasskeyJwk } from './passkey-public-key.ts';

/** One passkey of a person. */
export interface ApproverKey {
  /** Credential id, base64url. */
  id: string;
  public_key: PasskeyJwk;
  /** The domain it was made for. */
  rp_id: string;
  /** The page it is used on: base_url's origin. */
  origin: string;
  /** ISO 8601 in UTC. */
  created_at: string;
}

/** What a person exports of their own passkeys, and what `permitry receipt verify --approvers` reads. */
export interface ApproverKeyFile {
  version: 1;
  approvers: readonly { email: string; keys: readonly ApproverKey[] }[];
}

/** Keys by person and credential. */
export interface ApproverKeys {
  /** Whether the files name this person at all. Addresses are compared without regard to case. */
  knows(email: string): boolean;
  find(email: string, credentialId: string): ApproverKey | undefined;
}

const KEY_CHECKS: MemberChecks<ApproverKey> = {
  id: (value) => typeof value === 'string' && value !== '' && decodeBase64url(value) !== undefined,
  public_key: isPasskeyJwk,
  rp_id: isShortText,
  origin: isShortText,
  created_at: isInstant,
};

/**
 * Reads key files, several as one: each approver hands over their own.
 *
 * @param files parsed JSON.
 * @throws TypeError with a sentence that says what is wrong where: another form, another version, or a credential
 * that stands there twice with a different key or for different people.
 * @example const approverKeys = readApproverKeys([JSON.parse(text)]);
 */
export function readApproverKeys(files: readonly unknown[]): ApproverKeys {
  const people = new Map<string, Map<string, ApproverKey>>();
  const owners = new Map<string, string>();
  for (const { email, key } of files.flatMap(listEntries)) {
    const person = email.toLowerCase();
    const keys = people.get(person) ?? new Map<string, ApproverKey>();
    people.set(person, keys);
    if (key === null) continue;
    const owner = owners.get(key.id) ?? person;
    if (owner !== person) throw new TypeError(`The key ${key.id} stands under both ${owner} and ${person}.`);
    const known = keys.get(key.id);
    if (known && !isSameKey(known, key))
      throw new TypeError(`The key ${key.id} of ${person} stands there twice.`);
    owners.set(key.id, person);
    keys.set(key.id, key);
  }
  return {
    knows: (email) => people.has(email.toLowerCase()),
    find: (email, credentialId) => people.get(email.toLowerCase())?.get(credentialId),
  };
}

/** The key of each entry; null where a person is named who has none. */
function listEntries(file: unknown): { email: string; key: ApproverKey | null }[] {
  if (!isObject(file) || file.version !== 1 || !Array.isArray(file.approvers)) {
    throw new TypeError('A key file is { "version": 1, "approvers": [{ "email", "keys" }] }.');
  }
  const approvers: unknown[] = file.approvers;
  return approvers.flatMap((entry, at): { email: string; key: ApproverKey | null }[] => {
    if (!isObject(entry) || !isShortText(entry.email) || !Array.isArray(entry.keys)) {
      throw new TypeError(`approvers[${at}] is not { "email", "keys" }.`);
    }
    const { email } = entry;
    const keys: unknown[] = entry.keys;
    const found = keys.map((key, number) => {
      if (!hasExactly(key, KEY_CHECKS)) {
        throw new TypeError(
          `approvers[${at}].keys[${number}] is not { "id", "public_key", "rp_id", "origin", "created_at" } with a public key for ES256, RS256 or EdDSA.`,
        );
      }
      return { email, key };
    });
    return found.length > 0 ? found : [{ email, key: null }];
  });
}

/** Of a passkey made before a file was exported anew, the same must stand in both. */
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
