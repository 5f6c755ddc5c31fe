/** Owns the files of device keys: one for each gate and person. Nobody else may read them. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalJson, type DeviceKeyJwk, deviceKeyId, isDeviceKeyJwk, isInstant } from '@permitry/protocol';
import { usage } from '../command-failure.ts';
import { readPrivateFile } from '../input/read-private-file.ts';
import { profilePath } from '../profile/profile-file.ts';
import type { LockedKey } from './locked-key.ts';

/** The unencrypted part. Nobody can change it without the passphrase. */
export interface KeyFacts {
  version: 1;
  /** Base URL of the gate that the key is for. */
  gate: string;
  name: string;
  /** RFC 7638 thumbprint. */
  key_id: string;
  public_key: DeviceKeyJwk;
  created_at: string;
}

export interface KeyFile extends KeyFacts, LockedKey {
  /** The key's person, as the gate reported. Null until a person has approved it. */
  email: string | null;
}

function keyFolder(): string {
  return join(dirname(profilePath()), 'device-keys');
}

export function keyPath(keyId: string): string {
  return join(keyFolder(), `${keyId}.json`);
}

/** The text that the passphrase also protects. */
export function factsText({ version, gate, name, key_id, public_key, created_at }: KeyFacts): string {
  return canonicalJson({ version, gate, name, key_id, public_key, created_at });
}

/** Never replaces an existing file. */
export function writeKeyFile(file: KeyFile): string {
  mkdirSync(keyFolder(), { recursive: true, mode: 0o700 });
  const path = keyPath(file.key_id);
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}

export function removeKeyFile(keyId: string): void {
  rmSync(keyPath(keyId));
}

/**
 * Oldest first.
 *
 * @throws CommandFailure for a file that others may read, or that is not a key file
 */
export function listKeyFiles(): KeyFile[] {
  let names: string[];
  try {
    names = readdirSync(keyFolder());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const files = names.filter((name) => name.endsWith('.json')).map((name) => readKeyFile(name));
  return files.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

function readKeyFile(name: string): KeyFile {
  const path = join(keyFolder(), name);
  const file = parse(readPrivateFile(path, 'a key') ?? '');
  if (isKeyFile(file) && name === `${file.key_id}.json`) return file;
  throw usage(`${path} is not a Permitry device key. Move it out of this folder.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks only the form. All other faults appear when the key is unlocked. */
function isKeyFile(value: unknown): value is KeyFile {
  const { version, gate, name, email, key_id, public_key, created_at, kdf, cipher } = (value ??
    {}) as Partial<KeyFile>;
  return (
    version === 1 &&
    typeof gate === 'string' &&
    typeof name === 'string' &&
    (email === null || typeof email === 'string') &&
    isDeviceKeyJwk(public_key) &&
    deviceKeyId(public_key) === key_id &&
    isInstant(created_at) &&
    kdf?.name === 'scrypt' &&
    cipher?.name === 'aes-256-gcm'
  );
}
