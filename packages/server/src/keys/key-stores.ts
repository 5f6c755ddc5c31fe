import type { Bus } from '../gate/kernel/bus.ts';
import { openKeyEncryption } from './key-encryption.ts';
import { KeyFolder } from './key-folder.ts';
import { KEY_ENCRYPTION_KEY_NEEDED, type SigningKeySettings } from './key-settings.ts';
import type { KeyStorage } from './key-storage.ts';
import type { KeyStore } from './key-store.ts';
import { KeyTable } from './key-table.ts';
import type { SecretKeyStore } from './secret-encryption.ts';
import { SecretKeyFile } from './secret-key-file.ts';
import { SecretKeyRow } from './secret-key-row.ts';

export interface KeyStores {
  signingKeys: KeyStore;
  secretKey: SecretKeyStore;
}

/**
 * The stores of a gate's keys: files of a data directory, or rows of the database that several gates share.
 * @throws Error for a database without a key-encryption key: anyone who reads the database, or a backup of it, could
 * sign
 */
export function keyStoresIn(
  where: { directory: string } | { storage: KeyStorage; bus: Bus },
  settings: SigningKeySettings,
): KeyStores {
  if ('directory' in where) {
    return { signingKeys: new KeyFolder(where.directory), secretKey: new SecretKeyFile(where.directory) };
  }
  const encryption = openKeyEncryption(settings);
  if (!encryption) throw new Error(KEY_ENCRYPTION_KEY_NEEDED);
  return {
    signingKeys: new KeyTable(where.storage, encryption, (kid) => where.bus.tell('keys', kid)),
    secretKey: new SecretKeyRow(where.storage),
  };
}
