import type { KeyStorage } from './key-storage.ts';
import type { SecretKeyStore } from './secret-encryption.ts';

const FACT = 'secrets_key';

/** The key of sealed secrets in the database that several gates share. */
export class SecretKeyRow implements SecretKeyStore {
  readonly name = `${FACT} in the table installation`;
  // Otherwise, anyone who can write to the database could have secrets sealed under their own key.
  readonly mayLieInClear = false;
  readonly #storage: KeyStorage;

  constructor(storage: KeyStorage) {
    this.#storage = storage;
  }

  read(): Promise<string | undefined> {
    return this.#storage.read.findInstallationFact(FACT);
  }

  async make(content: string): Promise<void> {
    await this.#storage.transaction((tx) => tx.insertInstallationFact(FACT, content));
  }

  rewrite(content: string): Promise<void> {
    return this.#storage.transaction((tx) => tx.putInstallationFact(FACT, content));
  }
}
