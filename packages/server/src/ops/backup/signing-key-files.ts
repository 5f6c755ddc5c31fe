/**
 * The files in `keys/` for an archive, unchanged or without their secrets. Besides the signing keys, they include the
 * key that encrypts people's second factors in the database.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PublicJwk } from '@permitry/protocol';

export interface KeyFile {
  /** `keys/<kid>.json`, or `keys/secrets.key`. */
  name: string;
  content: Buffer;
}

const FOLDER = 'keys';
const KEY_FILE = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*\.json|secrets\.key)$/;

/** In order of their names. Empty when there is no such folder. */
export function readKeyFiles(dataDir: string): KeyFile[] {
  const folder = join(dataDir, FOLDER);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && KEY_FILE.test(entry.name))
    .map(({ name }) => ({ name: `${FOLDER}/${name}`, content: readFileSync(join(folder, name)) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether a reader of this file could sign, or open sealed secrets. True for a file that cannot be parsed. */
export function liesInClear({ content }: KeyFile): boolean {
  const key = parse(content);
  return key === undefined || key.d !== undefined || key.k !== undefined;
}

/** The properties of a key file that are not secret. None belongs to the private part. */
const PUBLIC_PROPERTIES = [
  'kty',
  'crv',
  'x',
  'y',
  'alg',
  'use',
  'kid',
  'activation',
  'created_at',
  'changed_at',
  'activated_at',
  'retired_at',
  'compromised_at',
] as const;

/**
 * The same key without its private part: it can no longer sign, but its signatures still verify. Undefined for a file
 * without a public part.
 */
export function withoutPrivatePart({ name, content }: KeyFile): KeyFile | undefined {
  const key = parse(content);
  if (key?.kty === undefined) return undefined;
  const properties = PUBLIC_PROPERTIES.flatMap((property) =>
    key[property] === undefined ? [] : [[property, key[property]]],
  );
  const state = key.state === 'compromised' ? 'compromised' : 'retired';
  const text = JSON.stringify({ ...Object.fromEntries(properties), state }, null, 2);
  return { name, content: Buffer.from(`${text}\n`) };
}

/** Every key that may have signed the archive's contents, including compromised ones. */
export function publicKeysIn(files: readonly KeyFile[]): PublicJwk[] {
  return files.flatMap(({ content }) => {
    const { kty, crv, x, y, kid } = parse(content) ?? {};
    if (kty !== 'EC' || crv !== 'P-256') return [];
    if (typeof x !== 'string' || typeof y !== 'string' || typeof kid !== 'string') return [];
    return [{ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }];
  });
}

function parse(content: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(content.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
