/** Signing keys in the database that several gates share. */
import type { SigningKeyRecord } from '../gate/signing-keys/signing-key-record.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { KeyStorage } from './key-storage.ts';
import type { KeyStore, ReadKeys } from './key-store.ts';
import { parseStoredKey, type StoredKey, StoredKeyError } from './stored-key.ts';

/**
 * One row per key. Private parts are encrypted under the key-encryption key, and each row has a seal that only a holder
 * of that key can make. So an attacker who can only write to the database cannot make the gates publish another key, or
 * change the record of a withdrawn one. Such an attacker can restore an old row. A gate that knew of the withdrawal
 * does not accept the old row until that gate restarts.
 */
export class KeyTable implements KeyStore {
  readonly kind = 'database';
  readonly #storage: KeyStorage;
  readonly #encryption: KeyEncryption;
  readonly #onWritten: (kid: string) => void;

  /** @param onWritten Notifies the other gates. */
  constructor(storage: KeyStorage, encryption: KeyEncryption, onWritten: (kid: string) => void = () => {}) {
    this.#storage = storage;
    this.#encryption = encryption;
    this.#onWritten = onWritten;
  }

  async read(): Promise<ReadKeys> {
    // The revision is read before the rows, so that a change in between causes another read.
    const revision = String(await this.#storage.read.findSigningKeyRevision());
    const keys: StoredKey[] = [];
    const failures: unknown[] = [];
    const outdated = new Set<string>();
    for (const { kid, document, seal } of await this.#storage.read.listSigningKeyRecords()) {
      const location = this.locationOf(kid);
      try {
        this.#encryption.assertSealed(document, seal);
        const key = parseStoredKey(location, kid, document);
        if (key.d !== undefined)
          throw new Error(
            'its private part is stored unencrypted in the database; mark it as compromised: permitry signing-keys compromise',
          );
        if (!this.#encryption.isSealCurrent(seal)) outdated.add(kid);
        keys.push(key);
      } catch (error) {
        failures.push(
          error instanceof StoredKeyError ? error : new StoredKeyError(location, (error as Error).message),
        );
      }
    }
    return { keys, failures, revision, outdated };
  }

  async hasChangedSince(revision: string): Promise<boolean> {
    return String(await this.#storage.read.findSigningKeyRevision()) !== revision;
  }

  async compareAndSwap(revision: string, keys: readonly StoredKey[]): Promise<string | null> {
    const records = keys.map((key) => toRecord(key, this.#encryption));
    return this.#storage.transaction(async (tx) => {
      if (!(await tx.swapSigningKeyRecords(Number(revision), records))) return null;
      tx.afterCommit(() => this.#onWritten(keys[0]?.kid ?? ''));
      // Makes every gate refresh its keys and discard its cache for these projects. From then on, no gate signs with a
      // withdrawn key or accepts its signatures.
      if (keys.some(({ state }) => state === 'compromised'))
        for (const { id } of await tx.listProjects()) await tx.bumpProjectRevision(id);
      return String(Number(revision) + 1);
    });
  }

  locationOf(kid: string): string {
    return `the signing key ${kid} in the database`;
  }
}

/** @throws Error for an unencrypted private part */
export function toRecord(key: StoredKey, encryption: KeyEncryption): SigningKeyRecord {
  if (key.d !== undefined) throw new Error('a private part must not be stored unencrypted in the database');
  const document = JSON.stringify(key);
  return { kid: key.kid, document, seal: encryption.seal(document) };
}
