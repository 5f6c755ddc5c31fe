/** Secrets read from files, as Docker and Kubernetes mount them. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../src/config.ts';
import { problemsWith } from './problems-with.ts';

const directory = mkdtempSync(join(tmpdir(), 'permitry-secrets-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
function fileWith(text: string, mode = 0o600): string {
  files += 1;
  const path = join(directory, String(files));
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const KEY = 'ab'.repeat(32);
const MODULE = { PERMITRY_PKCS11_MODULE: '/usr/lib/module.so' };

/** Name, a value, the other settings it needs, and how to read it from the configuration. */
const SECRETS: [string, string, Record<string, string>, (config: Config) => string | undefined][] = [
  [
    'PERMITRY_DATABASE_URL',
    'postgres://gate:s3cret@db/permitry',
    { PERMITRY_KEY_ENCRYPTION_KEY: KEY },
    ({ databaseUrl }) => databaseUrl?.reveal(),
  ],
  ['PERMITRY_METRICS_TOKEN', 's3cret-of-prometheus', {}, ({ metricsToken }) => metricsToken ?? ''],
  [
    'PERMITRY_KEY_ENCRYPTION_KEY',
    KEY,
    {},
    (config) => config.signingKeys.keyEncryptionKey?.export().toString('hex'),
  ],
  [
    'PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS',
    KEY,
    { PERMITRY_KEY_ENCRYPTION_KEY: KEY },
    (config) => config.signingKeys.previousKeyEncryptionKey?.export().toString('hex'),
  ],
  ['PERMITRY_PKCS11_PIN', ' 12 34', MODULE, (config) => config.signingKeys.pkcs11?.pin.export().toString()],
  [
    'PERMITRY_SMTP_URL',
    'smtps://gate:s3cret@mail.example.com',
    {},
    ({ mail }) => `smtps://gate:s3cret@${mail.smtp?.host}`,
  ],
];

describe.each(SECRETS)('%s', (name, value, beside, show) => {
  test.each(['', '\n', '\r\n'])('is read from a file that ends in %j', (end) => {
    const config = readConfig({ ...beside, [`${name}_FILE`]: fileWith(value + end) });
    expect(show(config)).toBe(value);
    expect(config.warnings).toEqual([]);
  });

  test('is refused when its variable and its file are both set', () => {
    const env = { ...beside, [name]: value, [`${name}_FILE`]: fileWith(value) };
    expect(problemsWith(env)).toContain(`${name} and ${name}_FILE are both set; keep one`);
  });

  test.each<[string, () => string, RegExp]>([
    // The secret itself instead of a path.
    ['does not exist', () => value, /cannot be read \(ENOENT\)$/],
    ['is a directory', () => directory, /cannot be read \(EISDIR\)$/],
    ['is empty', () => fileWith(''), /is empty/],
    ['contains only a line break', () => fileWith('\n'), /is empty/],
    ['is too large', () => fileWith(value.padEnd(5000, 's3cret')), /more than 4096 bytes/],
    ['never ends', () => '/dev/zero', /more than 4096 bytes/],
  ])('is refused, and not quoted, when its file %s', (_what, path, words) => {
    const problems = problemsWith({ ...beside, [`${name}_FILE`]: path() });
    const [problem] = problems.filter((one) => one.startsWith(`${name}_FILE names a file `));
    expect(problem).toMatch(words);
    expect(problems.join()).not.toContain(value);
    expect(problems.join()).not.toContain('s3cret');
  });

  test('is accepted from a file that others may read, with a warning', () => {
    const path = fileWith(value, 0o644);
    const config = readConfig({ ...beside, [`${name}_FILE`]: path });
    expect(show(config)).toBe(value);
    expect(config.warnings).toEqual([`${name}_FILE: other users may read ${path}; run: chmod 600 ${path}`]);
  });
});

test('a PIN keeps everything in its file except one final line break', () => {
  const { pkcs11 } = readConfig({ ...MODULE, PERMITRY_PKCS11_PIN_FILE: fileWith(' 12 34 \n\n') }).signingKeys;
  expect(pkcs11?.pin.export().toString()).toBe(' 12 34 \n');
});

test('a file of up to 64 KiB may hold twenty sign-in providers, with a warning if others may read it', () => {
  const providers = Array.from({ length: 20 }, (_, i) => ({
    id: `p${i}`,
    name: 'x'.repeat(300),
    issuer: 'https://id.example',
    client_id: 'permitry',
    client_secret: 's3cret',
  }));
  const path = fileWith(JSON.stringify({ providers }), 0o604);
  const { oidc, warnings } = readConfig({ PERMITRY_OIDC_FILE: path });
  expect(oidc).toHaveLength(20);
  expect(warnings).toEqual([expect.stringContaining('PERMITRY_OIDC_FILE: other users may read')]);
  expect(problemsWith({ PERMITRY_OIDC_FILE: fileWith('s3cret'.repeat(20_000)) })).toEqual([
    expect.stringMatching(/^PERMITRY_OIDC_FILE names a file of more than 65536 bytes: [^ ]*$/),
  ]);
});
