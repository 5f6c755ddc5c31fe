/** Signing keys in the database that several gates share. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { SigningKeyRecord } from '../gate/signing-keys/signing-key-record.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { KeyStorage } from './key-storage.ts';
import type { KeyLease, KeyStore, ReadKeys } from './key-store.ts';
import { parseStoredKey, type StoredKey, StoredKeyError } from './stored-key.ts';

const LEASE = { queue: 'signing_keys', name: 'turn' };
/** Of a gate that dies while it changes keys, the others wait for the end. Every write makes it longer. */
const LEASE_MS = 10_000;
const TRY_EVERY_MS = 25;
const PATIENCE_MS = 30_000;
const GUARDED = { guarded: true };

/**
 * A row for each key. Private parts are encrypted under the key-encryption key, and each row bears a seal that only
 * its holders can make: who may write to the database alone cannot have the gates publish a key of their own, or
 * say of one that was withdrawn what was never said of it. What they can is put back a row as it was; no gate that knew
 * of the withdrawal believes it until it is started again.
 */
export class KeyTable implements KeyStore {
  readonly kind = 'database';
  readonly #storage: KeyStorage;
  readonly #encryption: KeyEncryption;
  readonly #onWritten: (kid: string) => void;
  /** As they were last read or written. */
  readonly #outdated = new Set<string>();

  /** @param onWritten For the other gates to hear of it soon. */
  constructor(storage: KeyStorage, encryption: KeyEncryption, onWritten: (kid: string) => void = () => {}) {
    this.#storage = storage;
    this.#encryption = encryption;
    this.#onWritten = onWritten;
  }

  async read(): Promise<ReadKeys> {
    // First, so that what changes in between is read again.
    const revision = await this.#storage.read.findSigningKeyRevision();
    const keys: StoredKey[] = [];
    const failures: unknown[] = [];
    for (const { kid, document, seal } of await this.#storage.read.listSigningKeyRecords()) {
      const location = this.locationOf(kid);
      try {
        this.#encryption.assertSealed(document, seal);
        const key = parseStoredKey(location, kid, document);
        if (key.d !== undefined)
          throw new Error('its private part lies in clear in the database; withdraw it');
        if (this.#encryption.isSealCurrent(seal)) this.#outdated.delete(kid);
        else this.#outdated.add(kid);
        keys.push(key);
      } catch (error) {
        failures.push(
          error instanceof StoredKeyError ? error : new StoredKeyError(location, (error as Error).message),
        );
      }
    }
    return { keys, failures, revision };
  }

  async hasChangedSince(revision: number | null): Promise<boolean> {
    return (await this.#storage.read.findSigningKeyRevision()) !== revision;
  }

  async takeLease(): Promise<KeyLease> {
    const holder = randomUUID();
    const patience = performance.now() + PATIENCE_MS;
    while (!(await this.#take(holder))) {
      if (performance.now() > patience) {
        throw new Error(
          'Another gate has been changing the signing keys for half a minute; try again later.',
        );
      }
      await setTimeout(TRY_EVERY_MS);
    }
    return {
      write: (key) => this.#write(holder, key),
      end: () => this.#end(holder),
    };
  }

  isOutdated(kid: string): boolean {
    return this.#outdated.has(kid);
  }

  locationOf(kid: string): string {
    return `the signing key ${kid} in the database`;
  }

  #take(holder: string): Promise<boolean> {
    return this.#storage.transaction((tx) => tx.takeLease(LEASE, holder, after(0), after(LEASE_MS)), GUARDED);
  }

  async #write(holder: string, key: StoredKey): Promise<void> {
    const record = toRecord(key, this.#encryption);
    await this.#storage.transaction(async (tx) => {
      if (!(await tx.extendLease(LEASE, holder, after(LEASE_MS))))
        throw new Error(
          'Another gate took over the change of the signing keys, which took too long; try again.',
        );
      await tx.putSigningKeyRecord(record);
      tx.afterCommit(() => this.#onWritten(key.kid));
      if (key.state !== 'compromised') return;
      // Whatever rests on the projects as they were starts over, on every gate, and asks for the keys first: nothing
      // is signed or used by a withdrawn key from here on.
      for (const { id } of await tx.listProjects()) await tx.bumpProjectRevision(id);
    });
  }

  /** A failure is no matter: the turn ends by itself. */
  async #end(holder: string): Promise<void> {
    await this.#storage.transaction((tx) => tx.releaseLease(LEASE, holder), GUARDED).catch(() => undefined);
  }
}

/** @throws Error for a private part in clear */
export function toRecord(key: StoredKey, encryption: KeyEncryption): SigningKeyRecord {
  if (key.d !== undefined) throw new Error('a private part in clear does not go into the database');
  const document = JSON.stringify(key);
  return { kid: key.kid, document, seal: encryption.seal(document) };
}

/** Leases are measured by the machines' own clocks: a difference only makes one wait, or be refused by a write. */
function after(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}
