import { beforeAll, describe, expect, it } from 'vitest';
import { type BackupKey, decryptWith, encryptTo, generateBackupKey, parseBackupKey } from './backup-key.ts';

const PLAIN = Buffer.from('what is to be kept '.repeat(20_000));

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

const encrypt = async (key: BackupKey, plain: Uint8Array = PLAIN) =>
  collect((await encryptTo(key))(once(plain)));
const decrypt = (key: BackupKey | undefined, cipher: Uint8Array) => collect(decryptWith(key, once(cipher)));
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ reason }) => reason,
  );

describe('a key in no other form is a passphrase', () => {
  // Encryption with a passphrase is slow on purpose, and slower on a slow machine. So the hook encrypts for all tests,
  // and each test uses the passphrase only once more.
  let cipher: Buffer;
  beforeAll(async () => {
    cipher = await encrypt(parseBackupKey('correct horse battery staple\n'));
  });

  it('that opens what it encrypted', async () => {
    expect((await decrypt(parseBackupKey('correct horse battery staple'), cipher)).equals(PLAIN)).toBe(true);
  });

  it('that does not open what another one encrypted', async () => {
    expect(await reasonOf(decrypt(parseBackupKey('incorrect horse battery staple'), cipher))).toBe(
      'key_wrong',
    );
  });
});

describe('a key', () => {
  it('from age-keygen encrypts, even with its public part alone, and decrypts', async () => {
    const { identity, recipient } = await generateBackupKey();
    const secret = parseBackupKey(`# created: today\n# public key: ${recipient}\n${identity}\n`);
    const open = parseBackupKey(` ${recipient} \n`);
    expect([secret.kind, open.kind]).toEqual(['identities', 'recipients']);
    for (const key of [secret, open]) {
      const cipher = await encrypt(key);
      expect(cipher.subarray(0, 21).toString()).toBe('age-encryption.org/v1');
      expect(cipher.includes('what is to be kept')).toBe(false);
      expect((await decrypt(secret, cipher)).equals(PLAIN)).toBe(true);
    }
  });

  it('may be one of several that a backup is encrypted to', async () => {
    const [one, other, third] = await Promise.all([
      generateBackupKey(),
      generateBackupKey(),
      generateBackupKey(),
    ]);
    const cipher = await encrypt(parseBackupKey(`${one.recipient}\n${other.recipient}`));
    for (const { identity } of [one, other]) {
      expect((await decrypt(parseBackupKey(identity), cipher)).equals(PLAIN)).toBe(true);
    }
    expect(await reasonOf(decrypt(parseBackupKey(third.identity), cipher))).toBe('key_wrong');
  });

  it('that is too short, mistyped or mixed is refused, and the error does not quote it', async () => {
    const { identity, recipient } = await generateBackupKey();
    const bad = [
      '',
      '# only a comment',
      'too short',
      recipient.slice(0, -1),
      `${identity}x`,
      identity.toLowerCase(),
      `${identity}\n${recipient}`,
      'AGE-SECRET-KEY-1NO',
    ];
    for (const text of bad) {
      const found = (() => {
        try {
          return parseBackupKey(text);
        } catch (error) {
          return error;
        }
      })();
      expect(found).toMatchObject({ name: 'BackupError', reason: 'key_wrong' });
      if (text.length > 5) expect((found as Error).message).not.toContain(text);
    }
  });
});

describe('an encrypted backup', () => {
  it('cannot be opened without a key, or with the public one', async () => {
    const { recipient } = await generateBackupKey();
    const cipher = await encrypt(parseBackupKey(recipient));
    expect(await reasonOf(decrypt(undefined, cipher))).toBe('key_missing');
    expect(await reasonOf(decrypt(parseBackupKey(recipient), cipher))).toBe('key_wrong');
  });

  it('is refused when it is altered anywhere, cut off anywhere, or followed by more bytes', async () => {
    const { identity } = await generateBackupKey();
    const key = parseBackupKey(identity);
    const cipher = await encrypt(key);
    const offsets = [25, 60, 120, 180, 216, 230, 40_000, 65_800, 70_000, cipher.length - 1];
    for (const at of offsets) {
      const altered = Buffer.from(cipher);
      altered[at] = (altered[at] ?? 0) ^ 0x10;
      expect(['damaged', 'key_wrong']).toContain(await reasonOf(decrypt(key, altered)));
    }
    // Some of these lengths end exactly at the end of a chunk, where everything present is authentic.
    const body = cipher.length - (PLAIN.length + 16 * Math.ceil(PLAIN.length / 65_536));
    for (const length of [30, 100, 190, body, body + 65_552, body + 2 * 65_552, cipher.length - 1]) {
      expect(await reasonOf(decrypt(key, cipher.subarray(0, length)))).toBe('damaged');
    }
    expect(await reasonOf(decrypt(key, Buffer.concat([cipher, cipher.subarray(-100)])))).toBe('damaged');
  });
});
