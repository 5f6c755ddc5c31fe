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

describe('with a key-encryption key', () => {
  test('no private part is written in clear, and each file is bound to its key', async () => {
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

  test('the next process opens them with it', async () => {
    const { current } = await open();
    const signer = await open();
    expect(signer.current).toEqual(current);
    expect(await isGood(signer)).toBe(true);
  });

  test('without it the gate does not start, and says what to set', async () => {
    await open();
    expect(await refusal(KEYS_IN_CLEAR_FILES)).toMatch(/is encrypted; set PERMITRY_KEY_ENCRYPTION_KEY/);
  });

  test('with another one the gate does not start, and names both without showing either', async () => {
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

  test('the private part of one key does not pass as that of another', async () => {
    await open();
    const [one, other] = files();
    if (!one?.encrypted || !other?.encrypted) throw new Error('two files were expected');
    write({ ...one, encrypted: other.encrypted });
    expect(await refusal(UNDER_KEK)).toContain('of another key');
    // Nor with a header that says otherwise: the header is authenticated.
    const [header = '', ...rest] = other.encrypted.split('.');
    const forged = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), signing_kid: one.kid };
    const first = Buffer.from(JSON.stringify(forged)).toString('base64url');
    write({ ...one, encrypted: [first, ...rest].join('.') });
    expect(await refusal(UNDER_KEK)).toContain('altered or damaged');
  });

  test.each([1, 2, 3, 4])('a changed character in part %i of the file is noticed', async (part) => {
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
    '%j for a private part is refused',
    async (text) => {
      await open();
      const [file] = files();
      if (!file) throw new Error('a file was expected');
      write({ ...file, encrypted: text });
      expect(await refusal(UNDER_KEK)).toContain(file.kid);
    },
  );

  test('a file with two private parts is refused', async () => {
    await open();
    const [file] = files();
    if (!file) throw new Error('a file was expected');
    write({ ...file, d: Buffer.alloc(32, 7).toString('base64url') });
    expect(await refusal(UNDER_KEK)).toContain('is not an ES256 key');
  });
});

describe('keys that lay in clear', () => {
  test('work on, are complained of, and are encrypted by command without a change to what is published', async () => {
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

  test('a server that has them in memory goes on when they are encrypted under it', async () => {
    const server = await open(KEYS_IN_CLEAR_FILES);
    await (await open()).encrypt();
    await server.reload();
    expect(await isGood(server)).toBe(true);
  });
});

describe('the key-encryption key is replaced', () => {
  test('with both given every file is written under the new one; then the new one is enough', async () => {
    const { current } = await open();
    expect(await refusal(UNDER_OTHER)).not.toBe('it was opened');
    const between = await open(FROM_KEK_TO_OTHER);
    expect(await between.encrypt()).toHaveLength(2);
    expect(await refusal(UNDER_KEK)).not.toBe('it was opened');
    const after = await open(UNDER_OTHER);
    expect(after.current).toEqual(current);
    expect(await isGood(after)).toBe(true);
  });

  test('what is made meanwhile is under the new one, and a replacement that was cut off can be finished', async () => {
    await open();
    const [old] = files();
    if (!old) throw new Error('a file was expected');
    await (await open(FROM_KEK_TO_OTHER)).encrypt();
    // As if the process had died before this one.
    write(old);
    const signer = await open(FROM_KEK_TO_OTHER);
    expect(await isGood(signer)).toBe(true);
    expect(await signer.encrypt()).toEqual([old.kid]);
    await signer.rotate('operator', { early: true });
    expect(await isGood(await open(UNDER_OTHER))).toBe(true);
  });
});
