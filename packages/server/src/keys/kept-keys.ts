import type { Clock } from '../gate/kernel/clock.ts';
import { GateError } from '../gate/kernel/errors.ts';
import type { Instant } from '../gate/kernel/instant.ts';
import { newKey, withOneActive } from './key-changes.ts';
import { activeOf, inState, isSettled } from './key-lifecycle.ts';
import type { KeyStore } from './key-store.ts';
import { LoadedKeys } from './loaded-keys.ts';
import type { PrivateParts, SigningHandle } from './private-parts.ts';
import { type StoredKey, StoredKeyError } from './stored-key.ts';

/** Some process succeeds in each round, so failing this often in a row means that something is wrong. */
const MOST_TRIES = 100;

/**
 * Returns the keys that change. Called again if another process changed keys meanwhile. `makeNext` makes at most one
 * key, however often the rule is called.
 */
export type Rule = (
  keys: readonly StoredKey[],
  now: Instant,
  makeNext: () => Promise<StoredKey>,
) => readonly StoredKey[] | Promise<readonly StoredKey[]>;

/**
 * The keys of a store, held in memory. A change is computed from all keys as read, and written unless another process
 * changed any key meanwhile. If one did, the keys are read and the change is computed again. No process waits for
 * another.
 */
export abstract class KeptKeys extends LoadedKeys {
  protected readonly store: KeyStore;
  protected readonly clock: Clock;
  protected readonly parts: PrivateParts;
  /** How many keys could not be read or opened at the last read. */
  protected unreadable = 0;
  protected outdated: ReadonlySet<string> = new Set();
  /** The store's revision when the keys in memory were read. */
  #revision = '';
  /** Reads and changes run one after another, so that an older read never replaces a newer write. */
  #queue: Promise<unknown> = Promise.resolve();
  #settling: Promise<void> | undefined;

  constructor(store: KeyStore, clock: Clock, parts: PrivateParts) {
    super();
    this.store = store;
    this.clock = clock;
    this.parts = parts;
  }

  async refresh(): Promise<void> {
    try {
      if (await this.store.hasChangedSince(this.#revision)) await this.reload();
      // The active key was just withdrawn and may not have a successor yet.
      else if (!activeOf(this.stored())) await this.#settleTogether();
    } catch (cause) {
      if (cause instanceof GateError) throw cause;
      // Fails closed: a key that cannot be read may have been withdrawn.
      throw new GateError(
        'service_unavailable',
        'The signing keys cannot be read at the moment. Nothing was changed; try again shortly.',
        { retry_after_seconds: 1 },
        { cause },
      );
    }
  }

  /** Reads the keys again after another process changed them, and completes what that process left unfinished. */
  async reload(): Promise<void> {
    await this.#queued(() => this.#read());
    await this.settle();
  }

  /** If no key can be made, only `sign` refuses. Everything else continues. */
  #settleTogether(): Promise<void> {
    this.#settling ??= this.settle()
      .catch(() => undefined)
      .finally(() => {
        this.#settling = undefined;
      });
    return this.#settling;
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.parts.close();
  }

  /** Returns the changed keys. */
  protected change(rule: Rule): Promise<readonly StoredKey[]> {
    return this.#queued(async () => {
      let made: { key: StoredKey; opened: SigningHandle } | undefined;
      let mayBeWritten = false;
      const makeNext = async (): Promise<StoredKey> => {
        made ??= await this.#makeNext();
        return made.key;
      };
      try {
        for (let tries = 0; tries < MOST_TRIES; tries += 1) {
          await this.#read();
          const now = this.clock.now();
          const changed = await rule(this.stored(), now, makeNext);
          mayBeWritten = changed.some(({ kid }) => kid === made?.key.kid);
          if (await this.#swap(changed, now)) {
            if (made && mayBeWritten) this.load(made.key, made.opened);
            return changed;
          }
          mayBeWritten = false;
        }
        throw new Error('Other processes keep changing the signing keys; try again later.');
      } finally {
        // Another process was faster, so this key is not needed.
        if (made?.key.token && !mayBeWritten)
          await this.parts.token?.destroy(made.key.token.id).catch(() => undefined);
      }
    });
  }

  /** Ensures one active key and at least one next key. */
  protected async settle(): Promise<void> {
    // Two rounds: without any key, the first key made becomes the active one, and the next round makes another. The
    // step that needs no new key comes first, because it may be impossible to make a key now.
    for (let round = 0; round < 2 && !isSettled(this.stored()); round += 1) {
      await this.change(withOneActive);
      await this.change(async (keys, _, makeNext) =>
        inState(keys, 'next').length === 0 ? [await makeNext()] : [],
      );
    }
  }

  /** Opens the private part of a key and proves that it belongs to the public part. */
  protected open(key: StoredKey): Promise<SigningHandle> {
    return this.parts.openProved(key).catch((error: Error) => {
      throw new StoredKeyError(this.store.locationOf(key.kid), error.message);
    });
  }

  #queued<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(work);
    this.#queue = mine.catch(() => undefined);
    return mine;
  }

  /** Opens the key before it is published, to prove that it can sign. */
  async #makeNext(): Promise<{ key: StoredKey; opened: SigningHandle }> {
    const key = newKey(await this.parts.make(), this.clock.now());
    return { key, opened: await this.open(key) };
  }

  async #read(): Promise<void> {
    const { keys, failures, revision, outdated } = await this.store.read();
    const opened = new Map<string, SigningHandle>();
    for (const key of keys) {
      if (!this.wants(key)) continue;
      await this.open(key).then(
        (handle) => opened.set(key.kid, handle),
        (error) => failures.push(error),
      );
    }
    // Loads the keys even after a failure: a key that cannot be read or opened must not keep a withdrawn key published.
    for (const key of keys) this.load(key, opened.get(key.kid));
    this.unreadable = failures.length;
    if (failures.length > 0) throw failures[0];
    this.#revision = revision;
    this.outdated = outdated;
  }

  async #swap(changed: readonly StoredKey[], now: Instant): Promise<boolean> {
    if (changed.length === 0) return true;
    const dated = changed.map((key) => ({ ...key, changed_at: now }));
    const revision = await this.store.compareAndSwap(this.#revision, dated).catch(async (error) => {
      // Some keys may have been written before the error, so this reads them again.
      await this.#read().catch(() => undefined);
      throw error;
    });
    if (revision === null) return false;
    for (const key of dated) this.load(key);
    this.#revision = revision;
    return true;
  }
}
