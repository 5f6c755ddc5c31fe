import type { PublicJwk } from '@permitry/protocol';
import type { Clock } from '../gate/kernel/clock.ts';
import { GateError } from '../gate/kernel/errors.ts';
import { addSeconds } from '../gate/kernel/instant.ts';
import type { SigningKey, SigningKeyChange } from '../gate/kernel/signing-key.ts';
import {
  activatedAt,
  activeOf,
  inState,
  isRotationDue,
  NEXT_KEY_LEAD_SECONDS,
  successorOf,
} from './key-lifecycle.ts';
import type { KeyLease, KeyStore } from './key-store.ts';
import { LoadedKeys } from './loaded-keys.ts';
import { NextKeyTooYoungError } from './next-key-too-young-error.ts';
import {
  type KeptIn,
  keptIn,
  type MadeKey,
  madeInToken,
  type PrivateParts,
  type SigningHandle,
  withoutPrivatePart,
} from './private-parts.ts';
import type { ChangedBy, SigningKeys, SigningStats } from './signing-keys.ts';
import { type StoredKey, StoredKeyError } from './stored-key.ts';
import { thumbprint } from './thumbprint.ts';

/**
 * The life of the keys, over whatever store they lie in: each change is made in a turn of that store, from what it holds
 * then, and in an order in which a crash at any point leaves a key that signs.
 */
export class KeptKeys implements SigningKeys {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #parts: PrivateParts;
  readonly #loaded = new LoadedKeys();
  /** Reads and changes one after another, so that what was read earlier is never held over what was written since. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Keys that could not be read or opened, as of the last look. */
  #unreadable = 0;
  /** As of when the keys are held. */
  #revision: number | null = null;
  #lease: KeyLease | undefined;

  constructor(store: KeyStore, clock: Clock, parts: PrivateParts) {
    this.#store = store;
    this.#clock = clock;
    this.#parts = parts;
  }

  get current(): { kid: string; alg: 'ES256' } {
    return this.#loaded.current;
  }

  sign(kid: string, signingInput: string): Promise<string> {
    return this.#loaded.sign(kid, signingInput);
  }

  verify(kid: string, signingInput: string, signature: string): Promise<boolean> {
    return this.#loaded.verify(kid, signingInput, signature);
  }

  publicKey(kid: string): PublicJwk | undefined {
    return this.#loaded.publicKey(kid);
  }

  publicKeys(): readonly PublicJwk[] {
    return this.#loaded.publicKeys();
  }

  keys(): readonly SigningKey[] {
    return this.#loaded.keys();
  }

  async refresh(): Promise<void> {
    try {
      if (await this.#store.hasChangedSince(this.#revision)) await this.reload();
    } catch (cause) {
      if (cause instanceof GateError) throw cause;
      // A key that cannot be read may have been withdrawn.
      throw new GateError(
        'service_unavailable',
        'The signing keys cannot be read at the moment. Nothing was changed; try again shortly.',
        { retry_after_seconds: 1 },
        { cause },
      );
    }
  }

  assertCanSign(): Promise<void> {
    return this.#loaded.assertCanSign();
  }

  rotate(by: ChangedBy, { early = false }: { early?: boolean } = {}): Promise<string> {
    return this.#change(() => this.#rotate(by, early));
  }

  async rotateIfDue(days: number): Promise<string | undefined> {
    const isDue = () => days > 0 && isRotationDue(this.#loaded.stored(), days, this.#clock.now());
    if (!isDue()) return undefined;
    // Asked again under the lock: a command may have been faster.
    return this.#change(async () => (isDue() ? this.#rotate('schedule', false) : undefined));
  }

  markCompromised(kids?: readonly string[]): Promise<readonly string[]> {
    return this.#change(async () => {
      const all = this.#loaded.stored();
      const named = kids ?? [...inState(all, 'active'), ...inState(all, 'next')].map(({ kid }) => kid);
      // One that was withdrawn by hand, in its file, is still to be recorded.
      const keys = named
        .map((kid) => this.#get(kid))
        .filter((key) => key.state !== 'compromised' || key.compromised_at === undefined);
      const mark = { kind: 'compromised', at: this.#clock.now(), by: 'operator', other: null } as const;
      // Withdrawn before anything else is done: from here on nobody is told to believe them. To be recorded from here
      // on as well: what follows may be cut off.
      for (const key of keys) {
        const withdrawn = { state: 'compromised', compromised_at: mark.at, unrecorded: mark } as const;
        await this.#save({ ...withoutSecret(key), ...withdrawn });
      }
      await this.#settle();
      const other = this.current.kid;
      for (const { kid } of keys) await this.#save({ ...this.#get(kid), unrecorded: { ...mark, other } });
      await this.#clearToken();
      return named;
    });
  }

  encrypt(): Promise<readonly string[]> {
    return this.#change(async () => {
      const rewritten: string[] = [];
      for (const key of this.#loaded.stored()) {
        const form = await this.#parts.kept(key);
        if (!form && !this.#store.isOutdated(key.kid)) continue;
        await this.#save(form ? { ...withoutPrivatePart(key), ...form } : key);
        rewritten.push(key.kid);
      }
      return rewritten;
    });
  }

  adopt(wanted: { id?: string; label?: string }): Promise<string> {
    return this.#change(async () => {
      const { token } = this.#parts;
      if (!token)
        throw new Error('There is no token to take a key from; set PERMITRY_PKCS11_MODULE and its PIN.');
      const made = madeInToken(await token.find(wanted));
      const kid = thumbprint(made);
      if (this.#loaded.find(kid)) throw new Error(`The gate has this key already: ${kid}.`);
      return (await this.#add(made)).kid;
    });
  }

  reload(): Promise<void> {
    return this.#queued(async () => {
      await this.#read();
      return this.#isSettled();
    }).then((isSettled) => (isSettled ? undefined : this.#change(async () => undefined)));
  }

  async recordChanges(record: (changes: readonly SigningKeyChange[]) => Promise<void>): Promise<void> {
    const isUnrecorded = (key: StoredKey) => key.unrecorded !== undefined;
    if (!this.#loaded.stored().some(isUnrecorded)) return;
    await this.#change(async () => {
      const keys = this.#loaded.stored().filter(isUnrecorded);
      if (keys.length === 0) return;
      await record(keys.flatMap(({ kid, unrecorded }) => (unrecorded ? [{ kid, ...unrecorded }] : [])));
      // After the events: a crash in between has them recorded twice, the other way round never.
      for (const { unrecorded: _recorded, ...key } of keys) await this.#save(key);
    });
  }

  get encrypts(): boolean {
    return this.#parts.encrypts;
  }

  keptIn(kid: string): KeptIn | null {
    return keptIn(this.#get(kid), this.#store.kind);
  }

  complaints(): readonly string[] {
    return this.#loaded.stored().flatMap((key) => this.#parts.complaint(key) ?? []);
  }

  stats(): SigningStats {
    const active = activeOf(this.#loaded.stored());
    return {
      failures: this.#loaded.failures,
      unreadableKeys: this.#unreadable,
      activeSince: active ? (activatedAt(active) ?? active.created_at) : null,
    };
  }

  async close(): Promise<void> {
    await this.#queue.catch(() => undefined);
    await this.#parts.close();
  }

  #queued<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(work, work);
    this.#queue = mine.catch(() => undefined);
    return mine;
  }

  /** Alone among all processes, and from what the place holds now. */
  async #change<T>(work: () => Promise<T>): Promise<T> {
    // Before it is queued for: those who only read do not wait for another process's change.
    const lease = await this.#store.takeLease();
    try {
      return await this.#queued(async () => {
        this.#lease = lease;
        try {
          await this.#read();
          await this.#settle();
          return await work();
        } finally {
          this.#lease = undefined;
        }
      });
    } finally {
      await lease.end();
    }
  }

  async #read(): Promise<void> {
    const { keys: stored, failures, revision } = await this.#store.read();
    const opened = new Map<string, SigningHandle>();
    for (const key of stored) {
      if (!this.#loaded.wants(key)) continue;
      await this.#open(key).then(
        (handle) => opened.set(key.kid, handle),
        (error) => failures.push(error),
      );
    }
    // All the same: that one key cannot be read or opened must not keep another one published that was withdrawn.
    for (const key of stored) this.#loaded.load(key, opened.get(key.kid));
    this.#unreadable = failures.length;
    if (failures.length > 0) throw failures[0];
    this.#revision = revision;
  }

  async #rotate(by: ChangedBy, early: boolean): Promise<string> {
    const before = inState(this.#loaded.stored(), 'active');
    const now = this.#clock.now();
    const successor = successorOf(this.#loaded.stored());
    if (successor && successor.readyAt > now && !early) throw new NextKeyTooYoungError(successor.readyAt);
    // In this order, so that a crash at any point leaves a key that signs and nothing published disappears.
    if (inState(this.#loaded.stored(), 'next').length < 2) await this.#generate();
    const next = successor?.key ?? successorOf(this.#loaded.stored())?.key;
    if (!next) throw new Error('there is no next key');
    await this.#promote(next, { kind: 'rotated', at: now, by, other: before[0]?.kid ?? null });
    for (const key of before) await this.#retire(key);
    await this.#clearToken();
    return this.current.kid;
  }

  #isSettled(): boolean {
    const keys = this.#loaded.stored();
    return inState(keys, 'active').length === 1 && inState(keys, 'next').length > 0;
  }

  /** Exactly one active key, the last activated; at least one next. */
  async #settle(): Promise<void> {
    const active = activeOf(this.#loaded.stored());
    for (const key of inState(this.#loaded.stored(), 'active')) if (key !== active) await this.#retire(key);
    if (!active) await this.#promote(successorOf(this.#loaded.stored())?.key ?? (await this.#generate()));
    if (inState(this.#loaded.stored(), 'next').length === 0) await this.#generate();
  }

  async #generate(): Promise<StoredKey> {
    return this.#add(await this.#parts.make());
  }

  async #add({ x, y, form }: MadeKey): Promise<StoredKey> {
    const now = this.#clock.now();
    const key: StoredKey = {
      kty: 'EC',
      crv: 'P-256',
      x,
      y,
      ...form,
      alg: 'ES256',
      use: 'sig',
      kid: thumbprint({ x, y }),
      state: 'next',
      activation: 0,
      created_at: now,
      changed_at: now,
    };
    const handle = await this.#open(key);
    await this.#write(key);
    this.#loaded.load(key, handle);
    return key;
  }

  async #promote(key: StoredKey, unrecorded?: StoredKey['unrecorded']): Promise<void> {
    const last = Math.max(0, ...this.#loaded.stored().map(({ activation }) => activation));
    const activated = { state: 'active', activation: last + 1, activated_at: this.#clock.now() } as const;
    await this.#save({ ...key, ...activated, ...(unrecorded ? { unrecorded } : {}) });
  }

  #retire(key: StoredKey): Promise<void> {
    return this.#save({ ...withoutSecret(key), state: 'retired', retired_at: this.#clock.now() });
  }

  /**
   * Destroys private parts in the token that nobody needs: of a compromised key at once, of a retired one when every
   * server has heard of it. One that cannot be destroyed is left to `complaints`.
   */
  async #clearToken(): Promise<void> {
    const heardOf = addSeconds(this.#clock.now(), -NEXT_KEY_LEAD_SECONDS);
    for (const key of this.#loaded.stored()) {
      const isSpent = key.state === 'compromised' || (key.retired_at ?? heardOf) < heardOf;
      if (!key.token || !isSpent || !this.#parts.token) continue;
      const destroyed = await this.#parts.token.destroy(key.token.id).then(
        () => true,
        () => false,
      );
      if (destroyed) await this.#save(withoutPrivatePart(key));
    }
  }

  #get(kid: string): StoredKey {
    const key = this.#loaded.find(kid);
    if (!key) throw new Error(`There is no key ${kid} here; see: permitry signing-keys list`);
    return key;
  }

  async #save(key: StoredKey): Promise<void> {
    const dated = { ...key, changed_at: this.#clock.now() };
    await this.#write(dated);
    this.#loaded.load(dated);
  }

  async #write(key: StoredKey): Promise<void> {
    if (!this.#lease) throw new Error('the signing keys are changed out of turn');
    await this.#lease.write(key);
  }

  /** The private part of a key, proved to be that of its public part. */
  async #open(key: StoredKey): Promise<SigningHandle> {
    const location = this.#store.locationOf(key.kid);
    try {
      const handle = await this.#parts.open(key);
      const signature = await handle.sign(key.kid);
      const probe = new LoadedKeys();
      probe.load(key);
      if (await probe.verify(key.kid, key.kid, signature)) return handle;
    } catch (error) {
      throw new StoredKeyError(location, error instanceof Error ? error.message : String(error));
    }
    throw new StoredKeyError(location, 'its private and public part do not match');
  }
}

/** What is in a token is not in the file: the reference stays until the private part there was destroyed. */
function withoutSecret(key: StoredKey): StoredKey {
  return { ...withoutPrivatePart(key), ...(key.token ? { token: key.token } : {}) };
}
