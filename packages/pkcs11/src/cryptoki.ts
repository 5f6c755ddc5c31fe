/** The few functions of PKCS #11 (OASIS, v2.40) that a signer needs, as in the C interface. */
import type koffi from 'koffi';
import { ALREADY_INITIALIZED, ALREADY_LOGGED_IN, CryptokiError, NOT_LOGGED_IN } from './cryptoki-error.ts';

type Koffi = typeof koffi;

/** Handles and counts: CK_ULONG, eight bytes on every supported platform. */
export type Handle = bigint;

export const CLASS = { publicKey: 2, privateKey: 3 } as const;

/** Attribute types. */
export const CKA = {
  class: 0x000,
  token: 0x001,
  private: 0x002,
  label: 0x003,
  keyType: 0x100,
  id: 0x102,
  sensitive: 0x103,
  sign: 0x108,
  verify: 0x10a,
  extractable: 0x162,
  ecParams: 0x180,
  ecPoint: 0x181,
} as const;

export const CKK_EC = 3;

const CKM = { generateEc: 0x1040, ecdsa: 0x1041 } as const;
const CKU_USER = 1;
/** CKS_RO_USER_FUNCTIONS, CKS_RW_USER_FUNCTIONS. */
const LOGGED_IN: ReadonlySet<bigint> = new Set([1n, 3n]);
const CKF = { readWrite: 2, serial: 4, osLocking: 2 } as const;

export type Attribute = readonly [type: number, value: Uint8Array | number | boolean];

/** The index of each function in CK_FUNCTION_LIST, and its parameters: p a pointer, u a CK_ULONG, b a byte. */
const FUNCTIONS = {
  C_Initialize: [0, 'p'],
  C_Finalize: [1, 'p'],
  C_GetSlotList: [4, 'bpp'],
  C_GetTokenInfo: [6, 'up'],
  C_OpenSession: [12, 'uuppp'],
  C_CloseSession: [13, 'u'],
  C_GetSessionInfo: [15, 'up'],
  C_Login: [18, 'uupu'],
  C_DestroyObject: [22, 'uu'],
  C_GetAttributeValue: [24, 'uupu'],
  C_FindObjectsInit: [26, 'upu'],
  C_FindObjects: [27, 'upup'],
  C_FindObjectsFinal: [28, 'u'],
  C_SignInit: [42, 'upu'],
  C_Sign: [43, 'upupp'],
  C_GenerateKeyPair: [59, 'uppupupp'],
} as const satisfies Record<string, readonly [index: number, parameters: string]>;

type FunctionName = keyof typeof FUNCTIONS;
type Argument = Buffer | null | bigint | number;

const TYPES: Readonly<Record<string, string>> = { p: 'void *', u: 'unsigned long', b: 'uint8_t' };

const ULONG = 8;
/** CK_VERSION, padded to the alignment of the first pointer. */
const FIRST_FUNCTION = 8;
const MOST_OBJECTS = 16;
const ATTRIBUTE = 3 * ULONG;
const MOST_ATTRIBUTE_BYTES = 1024;
const TOKEN_INFO_BYTES = 208;
const TOKEN_FLAGS_AT = 96;
const TOKEN_INITIALIZED = 0x400n;

export class Cryptoki {
  readonly #koffi: Koffi;
  /** This reference keeps the library loaded as long as its functions are used. */
  readonly #library: ReturnType<Koffi['load']>;
  readonly #functions: Readonly<Record<string, (...args: Argument[]) => number | bigint>>;
  #initialisedHere = false;

  /** @param native Passed in, because it is loaded only when there is a module. */
  constructor(native: Koffi, module: string) {
    this.#koffi = native;
    this.#library = native.load(module);
    const getFunctionList = this.#library.func('C_GetFunctionList', 'unsigned long', ['void *']);
    const list = Buffer.alloc(ULONG);
    check('C_GetFunctionList', getFunctionList(list));
    const entries = Math.max(...Object.values(FUNCTIONS).map(([index]) => index)) + 1;
    const table = Buffer.from(native.view(list.readBigUInt64LE(), FIRST_FUNCTION + entries * ULONG));
    this.#functions = Object.fromEntries(
      Object.entries(FUNCTIONS).map(([name, [index, parameters]]) => {
        const types = [...parameters].map((one) => TYPES[one] ?? 'void *');
        const address = table.readBigUInt64LE(FIRST_FUNCTION + index * ULONG);
        return [name, native.decode(address, native.proto('unsigned long', types))];
      }),
    );
  }

  initialize(): void {
    // CK_C_INITIALIZE_ARGS: use the system's mutexes, not our own.
    const args = Buffer.alloc(6 * ULONG);
    args.writeBigUInt64LE(BigInt(CKF.osLocking), 4 * ULONG);
    const value = this.#answer('C_Initialize', args);
    // The whole process shares one module.
    if (value !== ALREADY_INITIALIZED) {
      check('C_Initialize', value);
      this.#initialisedHere = true;
    }
  }

  finalize(): void {
    if (this.#initialisedHere) this.#answer('C_Finalize', null);
    this.#initialisedHere = false;
  }

  /** Tokens that are present and initialised. */
  tokens(): { slot: Handle; label: string }[] {
    const count = Buffer.alloc(ULONG);
    this.#call('C_GetSlotList', 1, null, count);
    const slots = Buffer.alloc(Math.max(1, Number(count.readBigUInt64LE())) * ULONG);
    this.#call('C_GetSlotList', 1, slots, count);
    return ulongs(slots, Number(count.readBigUInt64LE())).flatMap((slot) => {
      const info = Buffer.alloc(TOKEN_INFO_BYTES);
      this.#call('C_GetTokenInfo', slot, info);
      if ((info.readBigUInt64LE(TOKEN_FLAGS_AT) & TOKEN_INITIALIZED) === 0n) return [];
      return [{ slot, label: info.toString('utf8', 0, 32).trimEnd() }];
    });
  }

  openSession(slot: Handle, { readWrite }: { readWrite: boolean }): Handle {
    const session = Buffer.alloc(ULONG);
    this.#call('C_OpenSession', slot, CKF.serial | (readWrite ? CKF.readWrite : 0), null, null, session);
    return session.readBigUInt64LE();
  }

  closeSession(session: Handle): void {
    this.#call('C_CloseSession', session);
  }

  /** Throws `CryptokiError` if the session or its login is gone. */
  assertLoggedIn(session: Handle): void {
    const info = Buffer.alloc(4 * ULONG);
    this.#call('C_GetSessionInfo', session, info);
    if (!LOGGED_IN.has(info.readBigUInt64LE(ULONG)))
      throw new CryptokiError('C_GetSessionInfo', NOT_LOGGED_IN);
  }

  /** Sessions of one process share their login. */
  login(session: Handle, pin: Buffer): void {
    const value = this.#answer('C_Login', session, CKU_USER, pin, pin.length);
    if (value !== ALREADY_LOGGED_IN) check('C_Login', value);
  }

  findObjects(session: Handle, attributes: readonly Attribute[]): Handle[] {
    const template = this.#template(attributes);
    this.#call('C_FindObjectsInit', session, template.bytes, template.count);
    try {
      const found = Buffer.alloc(MOST_OBJECTS * ULONG);
      const count = Buffer.alloc(ULONG);
      this.#call('C_FindObjects', session, found, MOST_OBJECTS, count);
      return ulongs(found, Number(count.readBigUInt64LE()));
    } finally {
      this.#call('C_FindObjectsFinal', session);
    }
  }

  /** Undefined if the object has no such attribute, or does not reveal it. */
  findAttribute(session: Handle, object: Handle, type: number): Buffer | undefined {
    const value = Buffer.alloc(MOST_ATTRIBUTE_BYTES);
    const { bytes } = this.#template([[type, value]]);
    if (this.#answer('C_GetAttributeValue', session, object, bytes, 1) !== 0) return undefined;
    return value.subarray(0, Number(bytes.readBigUInt64LE(2 * ULONG)));
  }

  destroyObject(session: Handle, object: Handle): void {
    this.#call('C_DestroyObject', session, object);
  }

  /** r‖s over the digest. */
  signEcdsa(session: Handle, key: Handle, digest: Buffer): Buffer {
    this.#call('C_SignInit', session, mechanism(CKM.ecdsa), key);
    const signature = Buffer.alloc(MOST_ATTRIBUTE_BYTES);
    const length = ulong(signature.length);
    this.#call('C_Sign', session, digest, digest.length, signature, length);
    return signature.subarray(0, Number(length.readBigUInt64LE()));
  }

  generateEcKeyPair(
    session: Handle,
    publicKey: readonly Attribute[],
    privateKey: readonly Attribute[],
  ): { publicKey: Handle; privateKey: Handle } {
    const [forPublic, forPrivate] = [this.#template(publicKey), this.#template(privateKey)];
    const [publicHandle, privateHandle] = [Buffer.alloc(ULONG), Buffer.alloc(ULONG)];
    this.#call(
      'C_GenerateKeyPair',
      session,
      mechanism(CKM.generateEc),
      forPublic.bytes,
      forPublic.count,
      forPrivate.bytes,
      forPrivate.count,
      publicHandle,
      privateHandle,
    );
    return { publicKey: publicHandle.readBigUInt64LE(), privateKey: privateHandle.readBigUInt64LE() };
  }

  #call(name: FunctionName, ...args: Argument[]): void {
    check(name, this.#answer(name, ...args));
  }

  #answer(name: FunctionName, ...args: Argument[]): number {
    return Number(this.#functions[name]?.(...args));
  }

  /**
   * One CK_ATTRIBUTE each: type, pointer, length. The pointers point to `values`, so keep `values` as long as `bytes`.
   */
  #template(attributes: readonly Attribute[]): { bytes: Buffer; count: number; values: readonly Buffer[] } {
    const bytes = Buffer.alloc(attributes.length * ATTRIBUTE);
    const values = attributes.map(([, value]) => toBuffer(value));
    for (const [index, [type]] of attributes.entries()) {
      const value = values[index] ?? Buffer.alloc(0);
      bytes.writeBigUInt64LE(BigInt(type), index * ATTRIBUTE);
      bytes.writeBigUInt64LE(BigInt(this.#koffi.address(value)), index * ATTRIBUTE + ULONG);
      bytes.writeBigUInt64LE(BigInt(value.length), index * ATTRIBUTE + 2 * ULONG);
    }
    return { bytes, count: attributes.length, values };
  }
}

function check(call: string, value: unknown): void {
  const answer = Number(value);
  if (answer !== 0) throw new CryptokiError(call, answer);
}

function toBuffer(value: Attribute[1]): Buffer {
  if (typeof value === 'boolean') return Buffer.of(value ? 1 : 0);
  if (typeof value === 'number') return ulong(value);
  // Shares the memory of the bytes, because answers are written into it.
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function ulong(value: number): Buffer {
  const bytes = Buffer.alloc(ULONG);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function ulongs(bytes: Buffer, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => bytes.readBigUInt64LE(index * ULONG));
}

/** CK_MECHANISM without a parameter. */
function mechanism(type: number): Buffer {
  const bytes = Buffer.alloc(3 * ULONG);
  bytes.writeBigUInt64LE(BigInt(type));
  return bytes;
}
