import { randomBytes } from 'node:crypto';
import { formatApiKey, type ProjectMode, sha256Hex } from '@permitry/protocol';
import type { ApiKey } from '../../gate/access/credential.ts';

const KEY_BYTES = 32;
const HINT_LENGTH = 4;

export type KeyToMint = Omit<ApiKey, 'hash' | 'hint' | 'endsWithOwnerAt' | 'revokedAt' | 'lastUsedAt'>;

/** A stored credential without its hash. */
export type KeyRecord = Omit<ApiKey, 'hash'>;

export interface CreatedKey {
  record: KeyRecord;
  /** The key itself: shown once, stored nowhere. */
  key: string;
}

/** Makes a new key and its stored form. `mode` is the mode of the key's project, or null for a user token. */
export function mintKey(key: KeyToMint, mode: ProjectMode | null): { stored: ApiKey; text: string } {
  const text = formatApiKey(key.kind, mode, randomBytes(KEY_BYTES));
  const stored: ApiKey = {
    ...key,
    hash: sha256Hex(text),
    hint: text.slice(-HINT_LENGTH),
    endsWithOwnerAt: null,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { stored, text };
}

export function toKeyRecord({ hash: _, ...record }: ApiKey): KeyRecord {
  return record;
}
