import { createSecretKey, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSecretEncryption } from '../../src/keys/secret-encryption.ts';
import { SecretKeyFile } from '../../src/keys/secret-key-file.ts';

function freshDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'permitry-box-'));
  mkdirSync(join(path, 'keys'), { mode: 0o700 });
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const aKey = () => createSecretKey(randomBytes(32));
const problems: string[] = [];
function open(
  path: string,
  keyEncryptionKey: ReturnType<typeof aKey> | null = null,
  previous = keyEncryptionKey,
) {
  problems.length = 0;
  const keys = { keyEncryptionKey, previousKeyEncryptionKey: previous };
  return openSecretEncryption(new SecretKeyFile(path), keys, (_error, what) => void problems.push(what));
}
const fileIn = (path: string) => join(path, 'keys', 'secrets.key');

test('an encrypted secret decrypts only for its own purpose, even after a restart', async () => {
  const path = freshDirectory();
  const box = await open(path);
  const sealed = box.encrypt('totp usr_1', 'JBSWY3DPEHPK3PXP');
  expect(sealed).not.toContain('JBSWY3DPEHPK3PXP');
  expect(box.encrypt('totp usr_1', 'JBSWY3DPEHPK3PXP')).not.toBe(sealed);
  const again = await open(path);
  expect(again.decrypt('totp usr_1', sealed)).toBe('JBSWY3DPEHPK3PXP');
  expect(again.decrypt('totp usr_2', sealed)).toBeUndefined();
  expect(statSync(fileIn(path)).mode & 0o777).toBe(0o600);
});

test('a text that was altered, cut off or encrypted elsewhere does not decrypt', async () => {
  const box = await open(freshDirectory());
  const other = await open(freshDirectory());
  const sealed = box.encrypt('p', 'text');
  const flipped = sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.slice(-1);
  for (const text of [flipped, sealed.slice(0, 20), 'v1.', '', 'v2.x', other.encrypt('p', 'text')])
    expect(box.decrypt('p', text)).toBeUndefined();
});

test('the secrets file is encrypted under the key-encryption key, and can move to another one', async () => {
  const path = freshDirectory();
  const sealed = (await open(path)).encrypt('p', 'text');
  const [first, second] = [aKey(), aKey()];
  expect((await open(path, first)).decrypt('p', sealed)).toBe('text');
  expect(readFileSync(fileIn(path), 'utf8')).toMatch(/^\{"jwe":"/);
  expect((await open(path, second, first)).decrypt('p', sealed)).toBe('text');
  expect((await open(path, second)).decrypt('p', sealed)).toBe('text');
  expect(problems).toEqual([]);
});

test('without the right key the gate starts and reports it, and every use of a secret is refused', async () => {
  const path = freshDirectory();
  const sealed = (await open(path, aKey())).encrypt('p', 'text');
  for (const key of [null, aKey()]) {
    const box = await open(path, key);
    expect(problems).toEqual([expect.stringContaining('secrets.key')]);
    expect(() => box.decrypt('p', sealed)).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    expect(() => box.encrypt('p', 'text')).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  }
});

test.skipIf(process.platform === 'win32')(
  'a secrets file that others can read, or that is damaged, is not used',
  async () => {
    const path = freshDirectory();
    await open(path);
    chmodSync(fileIn(path), 0o644);
    await open(path);
    expect(problems).toHaveLength(1);
    chmodSync(fileIn(path), 0o600);
    writeFileSync(fileIn(path), '{"k":"AAAA"}');
    await open(path);
    expect(problems).toHaveLength(1);
  },
);
