/** Owns the gate's signing keys, a file for each: made, rotated, withdrawn, published, never shown. */
import { join } from 'node:path';
import type { PublicJwk } from '@permitry/protocol';
import { addSeconds, type Instant, millisecondsBetween } from '../gate/instant.ts';
import type { Clock, Signer } from '../gate/ports.ts';
import type { SigningKey, SigningKeyChange } from '../gate/signing-keys/signing-key.ts';
import { HeldKeys } from './held-keys.ts';
import { KeyEncryption } from './key-encryption.ts';
import { KeyFileError, readKeyFiles, type StoredKey, writeKeyFile } from './key-file.ts';
import { lockKeyFolder } from './key-folder-lock.ts';
import {
  activatedAt,
  activeOf,
  inState,
  isRotationDue,
  NEXT_KEY_LEAD_SECONDS,
  successorOf,
} from './key-lifecycle.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from './key-settings.ts';
import {
  type KeptIn,
  keptIn,
  type MadeKey,
  PrivateParts,
  type SigningHandle,
  withoutPrivatePart,
} from './private-parts.ts';
import { thumbprint } from './thumbprint.ts';

type ChangedBy = SigningKeyChange['by'];

/** A rotation that would sign with a key which verifiers may not have heard of. */
export class NextKeyTooYoungError extends Error {
  readonly readyAt: Instant;

  constructor(readyAt: Instant) {
    super(`The next key may sign from ${readyAt} on: until then verifiers may hold a key set without it.`);
    this.name = 'NextKeyTooYoungError';
    this.readyAt = readyAt;
  }
}

/** A signer whose keys can be replaced while it works. */
export interface SigningKeys extends Signer {
  /**
   * Active → retired, next → active, and a new next. Answers the kid that signs from now on. Throws
   * `NextKeyTooYoungError`, unless `early`.
   */
  rotate(by: ChangedBy, options?: { early?: boolean }): Promise<string>;
  /** Rotates when the active key has signed for so many days; undefined when it is not due. */
  rotateIfDue(days: number): Promise<string | undefined>;
  /**
   * Takes the keys out of the JWKS and believes none of their signatures any more, at once. An active key is followed
   * by the next one. Without `kids`: all that can sign, now or next. Throws for a kid that is unknown here.
   */
  markCompromised(kids?: readonly string[]): Promise<readonly string[]>;
  /** Writes every private part as the settings want it kept; answers which were rewritten. */
  encrypt(): Promise<readonly string[]>;
  /** Takes a key that somebody made in the token as the next key. */
  adopt(wanted: { id?: string; label?: string }): Promise<string>;
  /** Reads the folder again, after another process changed it. */
  reload(): Promise<void>;
  /** Hands over the changes that stand in no audit log yet, and remembers that they do now. */
  recordChanges(record: (changes: readonly SigningKeyChange[]) => Promise<void>): Promise<void>;
  /** Whether there is a key-encryption key. */
  readonly encrypts: boolean;
  /** Where the private part is; null when it was dropped. */
  keptIn(kid: string): KeptIn | null;
  /** What an operator should look at. */
  complaints(): readonly string[];
  stats(): { failures: number; activeKeyAgeSeconds: number };
  close(): Promise<void>;
}

export interface SigningKeysOptions {
  dataDir: string;
  clock: Clock;
  settings?: SigningKeySettings;
}

/**
 * Opens the keys under `dataDir`/keys, making the first active and next key where there is none, and finishing a
 * rotation that was cut off.
 *
 * Throws `KeyFileError` when a key file is malformed, readable by others than its owner, or cannot be opened with
 * these settings.
 *
 * @example const signer = await openSigningKeys({ dataDir: '/var/lib/permitry', clock: systemClock })
 */
export async function openSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const { dataDir, clock, settings = KEYS_IN_CLEAR_FILES } = options;
  const { keyEncryptionKey, previousKeyEncryptionKey, pkcs11 } = settings;
  const encryption = keyEncryptionKey && new KeyEncryption(keyEncryptionKey, previousKeyEncryptionKey);
  // Loaded only now: the native library it needs is not there on every machine.
  const token = pkcs11 && (await import('./pkcs11/open-token.ts')).openToken(pkcs11);
  const keys = new FolderOfKeys(dataDir, clock, new PrivateParts(encryption, token));
  try {
    await keys.reload();
  } catch (error) {
    await keys.close();
    throw error;
  }
  return keys;
}

class FolderOfKeys implements SigningKeys {
  readonly #dir: string;
  readonly #lock: string;
  readonly #clock: Clock;
  readonly #parts: PrivateParts;
  readonly #held = new HeldKeys();
  /** One after another, as the folder's lock has it between processes. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string, clock: Clock, parts: PrivateParts) {
    this.#dir = join(dataDir, 'keys');
    this.#lock = join(dataDir, 'keys.lock');
    this.#clock = clock;
    this.#parts = parts;
  }

  get current(): { kid: string; alg: 'ES256' } {
    return this.#held.current;
  }

  sign(kid: string, signingInput: string): Promise<string> {
    return this.#held.sign(kid, signingInput);
  }

  verify(kid: string, signingInput: string, signature: string): Promise<boolean> {
    return this.#held.verify(kid, signingInput, signature);
  }

  publicKey(kid: string): PublicJwk | undefined {
    return this.#held.publicKey(kid);
  }

  publicKeys(): readonly PublicJwk[] {
    return this.#held.publicKeys();
  }

  keys(): readonly SigningKey[] {
    return this.#held.keys();
  }

  assertCanSign(): Promise<void> {
    return this.#held.assertCanSign();
  }

  rotate(by: ChangedBy, { early = false }: { early?: boolean } = {}): Promise<string> {
    return this.#change(() => this.#rotate(by, early));
  }

  async rotateIfDue(days: number): Promise<string | undefined> {
    const isDue = () => days > 0 && isRotationDue(this.#held.stored(), days, this.#clock.now());
    if (!isDue()) return undefined;
    // Asked again under the lock: a command may have been faster.
    return this.#change(async () => (isDue() ? this.#rotate('schedule', false) : undefined));
  }

  markCompromised(kids?: readonly string[]): Promise<readonly string[]> {
    return this.#change(async () => {
      const all = this.#held.stored();
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
        this.#save({ ...withoutSecret(key), ...withdrawn });
      }
      await this.#settle();
      const other = this.current.kid;
      for (const { kid } of keys) this.#save({ ...this.#get(kid), unrecorded: { ...mark, other } });
      await this.#clearToken();
      return named;
    });
  }

  encrypt(): Promise<readonly string[]> {
    return this.#change(async () => {
      const rewritten: string[] = [];
      for (const key of this.#held.stored()) {
        const form = await this.#parts.kept(key);
        if (!form) continue;
        this.#save({ ...withoutPrivatePart(key), ...form });
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
      const { x, y, object } = await token.find(wanted);
      const kid = thumbprint({ x, y });
      if (this.#held.find(kid)) throw new Error(`The gate has this key already: ${kid}.`);
      return (await this.#add({ x, y, form: { token: object } })).kid;
    });
  }

  reload(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#read();
      if (this.#isSettled()) return;
      const unlock = await lockKeyFolder(this.#lock);
      try {
        await this.#read();
        await this.#settle();
      } finally {
        unlock();
      }
    });
  }

  async recordChanges(record: (changes: readonly SigningKeyChange[]) => Promise<void>): Promise<void> {
    const isUnrecorded = (key: StoredKey) => key.unrecorded !== undefined;
    if (!this.#held.stored().some(isUnrecorded)) return;
    await this.#change(async () => {
      const keys = this.#held.stored().filter(isUnrecorded);
      if (keys.length === 0) return;
      await record(keys.flatMap(({ kid, unrecorded }) => (unrecorded ? [{ kid, ...unrecorded }] : [])));
      // After the events: a crash in between has them recorded twice, the other way round never.
      for (const { unrecorded: _recorded, ...key } of keys) this.#save(key);
    });
  }

  get encrypts(): boolean {
    return this.#parts.encrypts;
  }

  keptIn(kid: string): KeptIn | null {
    return keptIn(this.#get(kid));
  }

  complaints(): readonly string[] {
    return this.#held.stored().flatMap((key) => this.#parts.complaint(key) ?? []);
  }

  stats(): { failures: number; activeKeyAgeSeconds: number } {
    const active = activeOf(this.#held.stored());
    const since = active && (activatedAt(active) ?? active.created_at);
    return {
      failures: this.#held.failures,
      activeKeyAgeSeconds: since === undefined ? 0 : millisecondsBetween(since, this.#clock.now()) / 1000,
    };
  }

  async close(): Promise<void> {
    await this.#turn.catch(() => undefined);
    await this.#parts.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Alone among all processes, and from what the folder holds now. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const unlock = await lockKeyFolder(this.#lock);
      try {
        await this.#read();
        await this.#settle();
        return await work();
      } finally {
        unlock();
      }
    });
  }

  async #read(): Promise<void> {
    const { keys: stored, failures } = readKeyFiles(this.#dir);
    const opened = new Map<string, SigningHandle>();
    for (const key of stored) {
      if (!this.#held.wants(key)) continue;
      await this.#open(key).then(
        (handle) => opened.set(key.kid, handle),
        (error) => failures.push(error),
      );
    }
    // All the same: that one key cannot be read or opened must not keep another one published that was withdrawn.
    for (const key of stored) this.#held.hold(key, opened.get(key.kid));
    if (failures.length > 0) throw failures[0];
  }

  async #rotate(by: ChangedBy, early: boolean): Promise<string> {
    const before = inState(this.#held.stored(), 'active');
    const now = this.#clock.now();
    const successor = successorOf(this.#held.stored());
    if (successor && successor.readyAt > now && !early) throw new NextKeyTooYoungError(successor.readyAt);
    // In this order, so that a crash at any point leaves a key that signs and nothing published disappears.
    if (inState(this.#held.stored(), 'next').length < 2) await this.#generate();
    const next = successor?.key ?? successorOf(this.#held.stored())?.key;
    if (!next) throw new Error('there is no next key');
    this.#promote(next, { kind: 'rotated', at: now, by, other: before[0]?.kid ?? null });
    for (const key of before) this.#retire(key);
    await this.#clearToken();
    return this.current.kid;
  }

  #isSettled(): boolean {
    const keys = this.#held.stored();
    return inState(keys, 'active').length === 1 && inState(keys, 'next').length > 0;
  }

  /** Exactly one active key, the last activated; at least one next. */
  async #settle(): Promise<void> {
    const active = activeOf(this.#held.stored());
    for (const key of inState(this.#held.stored(), 'active')) if (key !== active) this.#retire(key);
    if (!active) this.#promote(successorOf(this.#held.stored())?.key ?? (await this.#generate()));
    if (inState(this.#held.stored(), 'next').length === 0) await this.#generate();
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
    writeKeyFile(this.#dir, key);
    this.#held.hold(key, handle);
    return key;
  }

  #promote(key: StoredKey, unrecorded?: StoredKey['unrecorded']): void {
    const last = Math.max(0, ...this.#held.stored().map(({ activation }) => activation));
    const activated = { state: 'active', activation: last + 1, activated_at: this.#clock.now() } as const;
    this.#save({ ...key, ...activated, ...(unrecorded ? { unrecorded } : {}) });
  }

  #retire(key: StoredKey): void {
    this.#save({ ...withoutSecret(key), state: 'retired', retired_at: this.#clock.now() });
  }

  /**
   * Destroys private parts in the token that nobody needs: of a compromised key at once, of a retired one when every
   * server has heard of it. One that cannot be destroyed is left to `complaints`.
   */
  async #clearToken(): Promise<void> {
    const heardOf = addSeconds(this.#clock.now(), -NEXT_KEY_LEAD_SECONDS);
    for (const key of this.#held.stored()) {
      const isSpent = key.state === 'compromised' || (key.retired_at ?? heardOf) < heardOf;
      if (!key.token || !isSpent || !this.#parts.token) continue;
      const destroyed = await this.#parts.token.destroy(key.token).then(
        () => true,
        () => false,
      );
      if (destroyed) this.#save(withoutPrivatePart(key));
    }
  }

  #get(kid: string): StoredKey {
    const key = this.#held.find(kid);
    if (!key) throw new Error(`There is no key ${kid} here; see: permitry signing-keys list`);
    return key;
  }

  #save(key: StoredKey): void {
    const dated = { ...key, changed_at: this.#clock.now() };
    writeKeyFile(this.#dir, dated);
    this.#held.hold(dated);
  }

  /** The private part of a key, proved to be that of its public part. */
  async #open(key: StoredKey): Promise<SigningHandle> {
    const path = join(this.#dir, `${key.kid}.json`);
    try {
      const handle = await this.#parts.open(key);
      const signature = await handle.sign(key.kid);
      const probe = new HeldKeys();
      probe.hold(key);
      if (await probe.verify(key.kid, key.kid, signature)) return handle;
    } catch (error) {
      throw new KeyFileError(path, error instanceof Error ? error.message : String(error));
    }
    throw new KeyFileError(path, 'its private and public part do not match');
  }
}

/** What is in a token is not in the file: the reference stays until the private part there was destroyed. */
function withoutSecret(key: StoredKey): StoredKey {
  return { ...withoutPrivatePart(key), ...(key.token ? { token: key.token } : {}) };
}
