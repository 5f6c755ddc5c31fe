/** Private keys at rest under a key-encryption key. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compactDecrypt, decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeyFolder } from '../../src/keys/key-folder.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from '../../src/keys/key-settings.ts';
import { openSigningKeys, type SigningKeys } from '../../src/keys/signing-keys.ts';
import { systemClock } from '../../src/runtime/clock.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const KEK = createSecretKey(randomBytes(32));
const OTHER = createSecretKey(randomBytes(32));
const UNDER_KEK = { ...KEYS_IN_CLEAR_FILES, keyEncryptionKey: KEK };
const UNDER_OTHER = { ...KEYS_IN_CLEAR_FILES, keyEncryptionKey: OTHER };
const FROM_KEK_TO_OTHER = { ...UNDER_OTHER, previousKeyEncryptionKey: KEK };

function open(settings: SigningKeySettings = UNDER_KEK): Promise<SigningKeys> {
  return openSigningKeys({ store: new KeyFolder(dataDir), clock: systemClock, settings });
}

interface KeyFile {
  kid: string;
  state: string;
  d?: string;
  encrypted?: string;
}

function files(): KeyFile[] {
  const dir = join(dataDir, 'keys');
  return readdirSync(dir).map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')) as KeyFile);
}

function write(file: KeyFile): void {
  writeFileSync(join(dataDir, 'keys', `${file.kid}.json`), JSON.stringify(file), { mode: 0o600 });
}

async function isGood(signer: SigningKeys): Promise<boolean> {
  const { kid } = signer.current;
  return signer.verify(kid, 'a.b', await signer.sign(kid, 'a.b'));
}

async function refusal(settings: SigningKeySettings): Promise<string> {
  return open(settings).then(
    () => 'it was opened',
    (error: Error) => error.message,
  );
}

describe('encrypted key files', () => {
  test('contain no private part in clear, and each is bound to its key', async () => {
    const signer = await open();
    expect(await isGood(signer)).toBe(true);
    await signer.rotate('operator', { early: true });
    const live = files().filter(({ state }) => state === 'active' || state === 'next');
    expect(live).toHaveLength(2);
    for (const { kid, d, encrypted = '' } of files()) {
      expect(d).toBeUndefined();
      if (encrypted === '') continue;
      expect(decodeProtectedHeader(encrypted)).toMatchObject({
        alg: 'A256GCMKW',
        enc: 'A256GCM',
        cty: 'jwk+json',
        signing_kid: kid,
      });
      const { plaintext } = await compactDecrypt(encrypted, KEK);
      expect(JSON.parse(Buffer.from(plaintext).toString())).toMatchObject({ kty: 'EC', crv: 'P-256', kid });
    }
    expect(live.every(({ encrypted }) => encrypted !== undefined)).toBe(true);
    expect(signer.keptIn(signer.current.kid)).toBe('encrypted file');
  });

  test('are opened by the next process with the same key-encryption key', async () => {
    const { current } = await open();
    const signer = await open();
    expect(signer.current).toEqual(current);
    expect(await isGood(signer)).toBe(true);
  });

  test('keep a gate without the key-encryption key from starting, and it says what to set', async () => {
    await open();
    expect(await refusal(KEYS_IN_CLEAR_FILES)).toMatch(/is encrypted; set PERMITRY_KEY_ENCRYPTION_KEY/);
  });

  test('keep a gate with another key-encryption key from starting, and it names both without showing either', async () => {
    await open();
    const message = await refusal(UNDER_OTHER);
    const [{ encrypted = '' } = {}] = files();
    expect(message).toContain(String(decodeProtectedHeader(encrypted).kid));
    expect(message).toContain('PERMITRY_KEY_ENCRYPTION_KEY');
    for (const key of [KEK, OTHER]) {
      expect(message).not.toContain(key.export().toString('base64url'));
      expect(message).not.toContain(key.export().toString('hex'));
    }
  });

  test('are refused with the private part of another key', async () => {
    await open();
    const [one, other] = files();
    if (!one?.encrypted || !other?.encrypted) throw new Error('two files were expected');
    write({ ...one, encrypted: other.encrypted });
    expect(await refusal(UNDER_KEK)).toContain('of another key');
    // A forged header does not help, because the header is authenticated.
    const [header = '', ...rest] = other.encrypted.split('.');
    const forged = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), signing_kid: one.kid };
    const first = Buffer.from(JSON.stringify(forged)).toString('base64url');
    write({ ...one, encrypted: [first, ...rest].join('.') });
    expect(await refusal(UNDER_KEK)).toContain('altered or damaged');
  });

  test.each([1, 2, 3, 4])('are refused when a character of part %i has changed', async (part) => {
    await open();
    const [file] = files();
    if (!file?.encrypted) throw new Error('a file was expected');
    const parts = file.encrypted.split('.');
    const text = parts[part] ?? '';
    parts[part] = (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    write({ ...file, encrypted: parts.join('.') });
    expect(await refusal(UNDER_KEK)).toContain('altered or damaged');
  });

  test.each(['', 'x', 'a.b.c.d.e', 'eyJhbGciOiJkaXIifQ....'])(
    'are refused with %j as the private part',
    async (text) => {
      await open();
      const [file] = files();
      if (!file) throw new Error('a file was expected');
      write({ ...file, encrypted: text });
      expect(await refusal(UNDER_KEK)).toContain(file.kid);
    },
  );

  test('are refused with two private parts', async () => {
    await open();
    const [file] = files();
    if (!file) throw new Error('a file was expected');
    write({ ...file, d: Buffer.alloc(32, 7).toString('base64url') });
    expect(await refusal(UNDER_KEK)).toContain('is not an ES256 key');
  });
});

describe('keys stored in clear', () => {
  test('still work, are reported, and can be encrypted by command without changing the published keys', async () => {
    const before = await open(KEYS_IN_CLEAR_FILES);
    const signature = await before.sign(before.current.kid, 'a.b');
    const clear = files().map(({ d }) => d ?? '');

    const signer = await open();
    expect(await isGood(signer)).toBe(true);
    expect(signer.complaints()).toHaveLength(2);
    expect(await signer.encrypt()).toHaveLength(2);
    expect(signer.complaints()).toEqual([]);
    expect(await signer.encrypt()).toEqual([]);

    const text = JSON.stringify(files());
    for (const d of clear) expect(text).not.toContain(d);
    expect(signer.publicKeys()).toEqual(before.publicKeys());
    for (const holder of [signer, await open()]) {
      expect(holder.current).toEqual(before.current);
      expect(await holder.verify(before.current.kid, 'a.b', signature)).toBe(true);
    }
  });

  test('still work in a running server when another process encrypts their files', async () => {
    const server = await open(KEYS_IN_CLEAR_FILES);
    await (await open()).encrypt();
    await server.reload();
    expect(await isGood(server)).toBe(true);
  });
});

describe('replacing the key-encryption key', () => {
  test('rewrites every file while both keys are given, and then needs only the new one', async () => {
    const { current } = await open();
    expect(await refusal(UNDER_OTHER)).not.toBe('it was opened');
    const between = await open(FROM_KEK_TO_OTHER);
    expect(await between.encrypt()).toHaveLength(2);
    expect(await refusal(UNDER_KEK)).not.toBe('it was opened');
    const after = await open(UNDER_OTHER);
    expect(after.current).toEqual(current);
    expect(await isGood(after)).toBe(true);
  });

  test('covers keys created in the meantime, and can be finished after an interruption', async () => {
    await open();
    const [old] = files();
    if (!old) throw new Error('a file was expected');
    await (await open(FROM_KEK_TO_OTHER)).encrypt();
    // As if the process had died before it wrote this key.
    write(old);
    const signer = await open(FROM_KEK_TO_OTHER);
    expect(await isGood(signer)).toBe(true);
    expect(await signer.encrypt()).toEqual([old.kid]);
    await signer.rotate('operator', { early: true });
    expect(await isGood(await open(UNDER_OTHER))).toBe(true);
  });
});
