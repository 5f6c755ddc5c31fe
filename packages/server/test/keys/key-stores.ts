/** The two stores of signing keys, for tests that must pass with both. */
import { createSecretKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SigningKeyRecord } from '../../src/gate/signing-keys/signing-key-record.ts';
import { KeyEncryption } from '../../src/keys/key-encryption.ts';
import { KeyFolder } from '../../src/keys/key-folder.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from '../../src/keys/key-settings.ts';
import type { KeyStore } from '../../src/keys/key-store.ts';
import { KeyTable } from '../../src/keys/key-table.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { ON_SQLITE } from '../fixtures/open-test-gate.ts';
import { borrowTestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';

export interface KeyRoom {
  /** A store over the same keys, as another process opens it. */
  store(): KeyStore;
  settings: SigningKeySettings;
  close(): Promise<void>;
}

export async function openKeyFolder(): Promise<KeyRoom & { dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
  return {
    dataDir,
    store: () => new KeyFolder(dataDir),
    settings: KEYS_IN_CLEAR_FILES,
    close: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

export const KEK = createSecretKey(Buffer.alloc(32, 'one key-encryption key'));

export async function openKeyTable(): Promise<KeyRoom & { storage: OpenStorage; url: string }> {
  const database = await borrowTestDatabase();
  const storage = await openPostgresStorage({ url: database.url, ...PATIENCE });
  return {
    storage,
    url: database.url,
    store: () => new KeyTable(storage, new KeyEncryption(KEK, null)),
    settings: { ...KEYS_IN_CLEAR_FILES, keyEncryptionKey: KEK },
    async close() {
      await storage.close();
      await database.drop();
    },
  };
}

/** Writes a record as anyone with access to the database could. */
export async function putRecord(storage: OpenStorage, record: SigningKeyRecord): Promise<void> {
  const revision = await storage.read.findSigningKeyRevision();
  await storage.transaction((tx) => tx.swapSigningKeyRecords(revision, [record]));
}

/** Opens the store that a gate uses with the database that the tests run on. */
export const openKeyRoom: () => Promise<KeyRoom> = ON_SQLITE ? openKeyFolder : openKeyTable;
