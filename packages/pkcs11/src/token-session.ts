import { randomBytes } from 'node:crypto';
import { type Attribute, CKA, CKK_EC, CLASS, type Cryptoki, type Handle } from './cryptoki.ts';
import { CryptokiError } from './cryptoki-error.ts';
import { P256, readEcPoint } from './ec-point.ts';

/** A key as found in a token. `id`: CKA_ID in hexadecimal. */
export interface TokenKey {
  id: string;
  label: string;
  x: string;
  y: string;
}

const LABEL = 'permitry';
const ID_BYTES = 16;
const SIGNATURE_BYTES = 64;

/**
 * This process does not see the key in the token. SoftHSM shows some keys of other processes only after it is
 * initialised again.
 */
class KeyNotFoundError extends Error {
  readonly meaning = 'lost';
}

/**
 * One PKCS#11 session, logged in to one token. If the session, the login or the token is lost, the next call opens the
 * session again.
 */
export class TokenSession {
  readonly #cryptoki: Cryptoki;
  readonly #tokenLabel: string | null;
  readonly #pin: Buffer;
  readonly #privateKeys = new Map<string, Handle>();
  #open: { slot: Handle; session: Handle } | undefined;
  #pinRefused: CryptokiError | undefined;

  constructor(cryptoki: Cryptoki, tokenLabel: string | null, pin: string) {
    this.#cryptoki = cryptoki;
    this.#tokenLabel = tokenLabel;
    this.#pin = Buffer.from(pin);
  }

  /** 64 bytes r‖s over a SHA-256 digest. */
  sign(id: string, digest: Uint8Array): Uint8Array {
    return this.#again(() => {
      const { session } = this.#opened();
      const signature = this.#cryptoki.signEcdsa(session, this.#privateKey(session, id), Buffer.from(digest));
      if (signature.length !== SIGNATURE_BYTES)
        throw new Error('the token answered a signature of another kind');
      return signature;
    });
  }

  /** Makes a new key pair in the token. The private part cannot leave it. */
  generate(): TokenKey {
    this.#again(() => this.#cryptoki.assertLoggedIn(this.#opened().session));
    return this.#writing((session) => {
      const id = randomBytes(ID_BYTES);
      const shared: Attribute[] = [
        [CKA.token, true],
        [CKA.id, id],
        [CKA.label, Buffer.from(LABEL)],
      ];
      const { publicKey } = this.#cryptoki.generateEcKeyPair(
        session,
        [...shared, [CKA.ecParams, P256], [CKA.verify, true]],
        [...shared, [CKA.private, true], [CKA.sensitive, true], [CKA.extractable, false], [CKA.sign, true]],
      );
      return { id: id.toString('hex'), label: LABEL, ...this.#pointOf(session, publicKey) };
    });
  }

  /** Finds a key that another program made in the token. Throws when there is none, or more than one. */
  find({ id, label }: { id?: string; label?: string }): TokenKey {
    return this.#again(() => {
      const { session } = this.#opened();
      const named: Attribute[] = [];
      if (id !== undefined) named.push([CKA.id, Buffer.from(id, 'hex')]);
      if (label !== undefined) named.push([CKA.label, Buffer.from(label)]);
      const [privateKey, ...others] = this.#cryptoki.findObjects(session, [
        [CKA.class, CLASS.privateKey],
        [CKA.keyType, CKK_EC],
        ...named,
      ]);
      if (privateKey === undefined)
        throw new KeyNotFoundError('there is no such EC private key in the token');
      if (others.length > 0)
        throw new Error('there is more than one such key in the token; name it by its id');
      return this.#describe(session, privateKey);
    });
  }

  destroy(id: string): void {
    this.#again(() => this.#cryptoki.assertLoggedIn(this.#opened().session));
    this.#writing((session) => {
      // Only EC keys. The token's owner chooses IDs, and an RSA key or a certificate may have the same one.
      const objects = this.#cryptoki.findObjects(session, [
        [CKA.keyType, CKK_EC],
        [CKA.id, Buffer.from(id, 'hex')],
      ]);
      for (const object of objects) this.#cryptoki.destroyObject(session, object);
      this.#privateKeys.delete(id);
    });
  }

  close(): void {
    this.#forget();
    this.#cryptoki.finalize();
  }

  /** After a loss, opens the token again and retries the work once, because a lost login does not return by itself. */
  #again<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const meaning =
        error instanceof CryptokiError || error instanceof KeyNotFoundError ? error.meaning : undefined;
      if (meaning !== 'lost' && meaning !== 'key gone') throw error;
      this.#forget();
      // Some modules see a returned token only after a new initialisation.
      if (meaning === 'lost') this.#cryptoki.finalize();
      return work();
    }
  }

  #opened(): { slot: Handle; session: Handle } {
    if (this.#pinRefused) throw this.#pinRefused;
    if (this.#open) return this.#open;
    this.#cryptoki.initialize();
    try {
      const slot = this.#findSlot();
      const session = this.#cryptoki.openSession(slot, { readWrite: false });
      this.#open = { slot, session };
      this.#cryptoki.login(session, this.#pin);
      return this.#open;
    } catch (error) {
      this.#forget();
      this.#cryptoki.finalize();
      // Never try again: a few wrong PINs lock the token.
      if (error instanceof CryptokiError && error.meaning === 'pin refused') this.#pinRefused = error;
      throw error;
    }
  }

  #findSlot(): Handle {
    const tokens = this.#cryptoki.tokens();
    const fitting = tokens.filter(({ label }) => this.#tokenLabel === null || label === this.#tokenLabel);
    const [only, ...others] = fitting;
    const labels = tokens.map(({ label }) => `"${label}"`).join(', ') || 'none';
    if (!only) throw new Error(`there is no such token; PERMITRY_PKCS11_TOKEN names one of: ${labels}`);
    if (others.length > 0)
      throw new Error(`there are several tokens; set PERMITRY_PKCS11_TOKEN to one of: ${labels}`);
    return only.slot;
  }

  /** Uses a separate session with write access. The session for signing has none, because signing needs none. */
  #writing<T>(work: (session: Handle) => T): T {
    const session = this.#cryptoki.openSession(this.#opened().slot, { readWrite: true });
    try {
      return work(session);
    } finally {
      this.#cryptoki.closeSession(session);
    }
  }

  #privateKey(session: Handle, id: string): Handle {
    const known = this.#privateKeys.get(id);
    if (known !== undefined) return known;
    const [found] = this.#cryptoki.findObjects(session, [
      [CKA.class, CLASS.privateKey],
      [CKA.keyType, CKK_EC],
      [CKA.id, Buffer.from(id, 'hex')],
    ]);
    if (found === undefined)
      throw new KeyNotFoundError(`there is no private key with the id ${id} in the token`);
    this.#privateKeys.set(id, found);
    return found;
  }

  #describe(session: Handle, privateKey: Handle): TokenKey {
    const id = this.#cryptoki.findAttribute(session, privateKey, CKA.id);
    if (!id || id.length === 0)
      throw new Error('the key has no CKA_ID, by which to find it again; give it one');
    const [publicKey] = this.#cryptoki.findObjects(session, [
      [CKA.class, CLASS.publicKey],
      [CKA.keyType, CKK_EC],
      [CKA.id, id],
    ]);
    return {
      id: id.toString('hex'),
      label: this.#cryptoki.findAttribute(session, privateKey, CKA.label)?.toString() ?? '',
      // Some tokens also reveal the point of a private key.
      ...this.#pointOf(session, publicKey ?? privateKey),
    };
  }

  #pointOf(session: Handle, key: Handle): { x: string; y: string } {
    const parameters = this.#cryptoki.findAttribute(session, key, CKA.ecParams);
    if (parameters && !parameters.equals(P256)) throw new Error('the key is not on the curve P-256');
    const point = this.#cryptoki.findAttribute(session, key, CKA.ecPoint);
    const coordinates = point && readEcPoint(point);
    if (!coordinates) throw new Error('the token does not show the public part of the key');
    return coordinates;
  }

  #forget(): void {
    this.#privateKeys.clear();
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    try {
      this.#cryptoki.closeSession(open.session);
    } catch {
      // The session is already gone.
    }
  }
}
