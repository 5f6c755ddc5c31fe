import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { baseUrlFor, readConfig } from '../../src/config.ts';
import { problemsWith } from '../settings/problems-with.ts';

const KEK = { PERMITRY_KEY_ENCRYPTION_KEY: 'ab'.repeat(32) };

describe('readConfig', () => {
  it('listens on this machine only by default', () => {
    expect(readConfig({ PATH: '/bin' })).toEqual({
      accessLog: 'off',
      drainDelaySeconds: 0,
      dataDir: './permitry-data',
      databaseUrl: null,
      migrateAtStart: true,
      host: '127.0.0.1',
      port: 8787,
      baseUrl: null,
      rateLimitPerMinute: 10_000,
      retentionDays: 0,
      logLevel: 'info',
      trustProxy: false,
      metricsToken: null,
      metricsPort: null,
      signingKeys: {
        keyEncryptionKey: null,
        previousKeyEncryptionKey: null,
        rotationDays: 90,
        pkcs11: null,
      },
      mail: { smtp: null, from: null },
      oidc: [],
      allowPrivateTargets: [],
      traces: null,
      warnings: [],
    });
  });

  it('reads the mail settings, and reports errors in them without the password', () => {
    const url = 'smtps://gate:s3cret@mail.example.com';
    const config = readConfig({ PERMITRY_SMTP_URL: url, PERMITRY_MAIL_FROM: 'Gate <gate@example.com>' });
    expect(config.mail).toMatchObject({
      smtp: { host: 'mail.example.com', port: 465, implicitTls: true },
      from: { name: 'Gate', address: 'gate@example.com' },
    });
    expect(inspect(config, { depth: 9 }) + JSON.stringify(config)).not.toContain('s3cret');
    const file = join(mkdtempSync(join(tmpdir(), 'permitry-config-')), 'smtp');
    writeFileSync(file, `${url}\n`, { mode: 0o600 });
    expect(readConfig({ PERMITRY_SMTP_URL_FILE: file }).mail.smtp?.host).toBe('mail.example.com');
    rmSync(dirname(file), { recursive: true });
    expect(problemsWith({ PERMITRY_SMTP_URL: 'smtp://gate:s3cret@' }).join()).toMatch(
      /must be a URL such as/,
    );
    expect(problemsWith({ PERMITRY_SMTP_URL: 'smtp://gate:s3cret@' }).join()).not.toContain('s3cret');
    expect(problemsWith({ PERMITRY_MAIL_FROM: 'gate@example.com' })).toEqual([
      'PERMITRY_MAIL_FROM needs PERMITRY_SMTP_URL',
    ]);
    expect(problemsWith({ PERMITRY_ALLOW_PRIVATE_TARGETS: '10.0.0.0/8,inside' }).join()).toContain('inside');
  });

  it('reads the database URL, and prints it without its password', () => {
    const url = 'postgres://gate:s3cret@db1:5432,db2/permitry?sslmode=verify-full&password=s3cret';
    const config = readConfig({ ...KEK, PERMITRY_DATABASE_URL: url });
    expect(config.databaseUrl?.reveal()).toBe(url);
    expect(config.databaseUrl?.shown).toBe('postgres://gate@db1:5432,db2/permitry');
    expect(inspect(config, { depth: 9, showHidden: true }) + JSON.stringify(config)).not.toContain('s3cret');
    const file = join(mkdtempSync(join(tmpdir(), 'permitry-config-')), 'url');
    writeFileSync(file, `${url}\n`, { mode: 0o600 });
    expect(readConfig({ ...KEK, PERMITRY_DATABASE_URL_FILE: file }).databaseUrl?.reveal()).toBe(url);
    rmSync(dirname(file), { recursive: true });
  });

  it.each([
    'postgresql://db.example.org/permitry',
    'postgres://gate:p%40ss%2Fword@[2001:db8::1]:5432/permitry',
    'postgres://gate@db_1.internal:5432,db-2.internal:5433/permitry',
    'postgres:///permitry?host=/var/run/postgresql',
    'postgres://db1,db2/permitry?target_session_attrs=read-write&sslmode=require&uselibpqcompat=true',
  ])('reads the database URL %s', (url) => {
    expect(readConfig({ ...KEK, PERMITRY_DATABASE_URL: url }).databaseUrl?.reveal()).toBe(url);
  });

  it('requires a key-encryption key with a database, and says how to make one', () => {
    expect(problemsWith({ PERMITRY_DATABASE_URL: 'postgres://db/permitry' })).toEqual([
      expect.stringMatching(/PERMITRY_KEY_ENCRYPTION_KEY.*openssl rand -base64 32/),
    ]);
    // An invalid key is reported as invalid, not as missing.
    const short = { PERMITRY_DATABASE_URL: 'postgres://db/permitry', PERMITRY_KEY_ENCRYPTION_KEY: 'abc' };
    expect(problemsWith(short)).toEqual([expect.stringContaining('must be 32 random bytes')]);
  });

  it.each([
    ['mysql://gate:s3cret@db/permitry', 'must be a URL such as'],
    ['gate:s3cret@db/permitry', 'must be a URL such as'],
    ['postgres://gate:s3cret@x@db/permitry', 'as %40'],
    ['postgres://gate:s3cret%zz@db/permitry', '%25'],
    ['postgres://gate:s3cret@/permitry', 'must name a host'],
    ['postgres://gate:s3cret@db:0/permitry', 'host:port'],
    ['postgres://gate:s3cret@db:99999/permitry', 'host:port'],
    ['postgres://gate:s3cret@db1,,db2/permitry', 'host:port'],
    ['postgres://gate:s3cret@db', 'must name a database'],
    ['postgres://gate:s3cret@db/permitry\npostgres://gate:s3cret@db/other', 'must be a URL such as'],
    // If the typo were ignored, the connection would not be encrypted.
    ['postgres://gate:s3cret@db/permitry?sslmod=verify-full', 'an unknown parameter; known parameters are '],
    ['postgres://gate:s3cret@db/permitry?sslmode=verify_full', 'sslmode'],
  ])('refuses the database URL %s without quoting its password', (url, words) => {
    const problems = problemsWith({ PERMITRY_DATABASE_URL: url });
    expect(problems).toEqual([expect.stringContaining(words)]);
    expect(problems.join()).toMatch(/^PERMITRY_DATABASE_URL /);
    expect(problems.join()).not.toContain('s3cret');
  });

  it('lets a flag win over the environment', () => {
    expect(readConfig({ PERMITRY_PORT: '1000' }, { PERMITRY_PORT: '2000' }).port).toBe(2000);
  });

  it.each([
    ['https://gate.example.org', 'https://gate.example.org'],
    ['https://gate.example.org/', 'https://gate.example.org'],
    ['https://gate.example.org/v1', 'https://gate.example.org'],
    ['https://example.org/gate/v1/', 'https://example.org/gate'],
    ['http://localhost:4000', 'http://localhost:4000'],
  ])('reads the base address %s as %s', (text, expected) => {
    expect(readConfig({ PERMITRY_BASE_URL: text }).baseUrl).toBe(expected);
  });

  it('derives the base address from the actual port', () => {
    expect(baseUrlFor(readConfig({}), 4321)).toBe('http://localhost:4321');
    expect(baseUrlFor(readConfig({ PERMITRY_BASE_URL: 'https://g.example/v1' }), 4321)).toBe(
      'https://g.example',
    );
  });

  it.each([
    ['false', false],
    ['true', true],
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['loopback', ['loopback']],
  ])('reads PERMITRY_TRUST_PROXY=%s', (text, expected) => {
    expect(readConfig({ PERMITRY_TRUST_PROXY: text }).trustProxy).toEqual(expected);
  });

  it.each([
    ['PERMITRY_PORT', '65536'],
    ['PERMITRY_PORT', '80.5'],
    ['PERMITRY_PORT', '0x50'],
    ['PERMITRY_HOST', 'http://localhost'],
    ['PERMITRY_BASE_URL', 'gate.example.org'],
    ['PERMITRY_BASE_URL', 'ftp://gate.example.org'],
    ['PERMITRY_BASE_URL', 'https://user:pass@gate.example.org'],
    ['PERMITRY_BASE_URL', 'https://gate.example.org/?a=b'],
    ['PERMITRY_RATE_LIMIT_PER_MINUTE', '-1'],
    ['PERMITRY_RATE_LIMIT_PER_MINUTE', 'many'],
    ['PERMITRY_LOG_LEVEL', 'loud'],
    ['PERMITRY_TRUST_PROXY', 'yes'],
    ['PERMITRY_TRUST_PROXY', '10.0.0.0/33'],
    ['PERMITRY_METRICS_TOKEN', 'short'],
    ['PERMITRY_METRICS_PORT', '8787'],
    ['PERMITRY_MIGRATE_AT_START', 'sometimes'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsWith({ [name]: value })).toEqual([expect.stringContaining(name)]);
  });

  it('names all problems at once, and suggests the right name for a mistyped variable', () => {
    const problems = problemsWith({ PERMITRY_PROT: '80', PERMITRY_PORT: 'x', PERMITRY_HOST: '..' });
    expect(problems).toHaveLength(3);
    expect(problems[0]).toBe('PERMITRY_PROT is not a setting. Did you mean PERMITRY_PORT?');
  });

  describe('for OpenID providers', () => {
    const directory = mkdtempSync(join(tmpdir(), 'permitry-config-'));
    afterAll(() => rmSync(directory, { recursive: true, force: true }));
    const fileWith = (content: unknown) => {
      const path = join(directory, `oidc-${Math.random()}.json`);
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
      return path;
    };
    const ONE = { id: 'example', name: 'Example', issuer: 'https://id.example', client_id: 'permitry' };

    it('reads them from a file, and prints no secret', () => {
      const providers = [
        { ...ONE, client_secret: 'the secret' },
        { ...ONE, id: 'other' },
      ];
      const { oidc } = readConfig({ PERMITRY_OIDC_FILE: fileWith({ providers }) });
      expect(oidc.map(({ id, clientSecret }) => [id, clientSecret?.export().toString() ?? null])).toEqual([
        ['example', 'the secret'],
        ['other', null],
      ]);
      expect(JSON.stringify(oidc)).not.toContain('the secret');
    });

    it.each([
      ['text that is not JSON', '{"client_secret": "the secret"'],
      ['another form', { example: ONE }],
      ['http to another machine', { providers: [{ ...ONE, issuer: 'http://id.example' }] }],
      ['an issuer that is not a URL', { providers: [{ ...ONE, issuer: 'id.example' }] }],
      ['an ID that is not valid in a URL', { providers: [{ ...ONE, id: 'Ex ample' }] }],
      ['the same id twice', { providers: [ONE, ONE] }],
      ['an empty client ID', { providers: [{ ...ONE, client_id: '' }] }],
      ['an unknown member', { providers: [{ ...ONE, client_sercet: 'the secret' }] }],
      ['a scope without openid', { providers: [{ ...ONE, scope: 'email' }] }],
    ])('refuses %s, and quotes no secret', (_what, content) => {
      const problems = problemsWith({ PERMITRY_OIDC_FILE: fileWith(content) });
      expect(problems).toEqual([expect.stringContaining('PERMITRY_OIDC_FILE')]);
      expect(problems.join()).not.toContain('the secret');
    });

    it('accepts http on this machine', () => {
      const providers = [{ ...ONE, issuer: 'http://localhost:9000' }];
      expect(readConfig({ PERMITRY_OIDC_FILE: fileWith({ providers }) }).oidc).toHaveLength(1);
    });
  });

  describe('for signing keys', () => {
    const KEY = Buffer.alloc(32, 7);
    const directory = mkdtempSync(join(tmpdir(), 'permitry-config-'));
    const fileWith = (text: string) => {
      const path = join(directory, `secret-${text.length}`);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    it.each([
      KEY.toString('base64'),
      KEY.toString('base64url'),
      KEY.toString('hex'),
      KEY.toString('hex').toUpperCase(),
    ])('reads the key-encryption key %s from the variable or from a file', (text) => {
      for (const env of [
        { PERMITRY_KEY_ENCRYPTION_KEY: text },
        { PERMITRY_KEY_ENCRYPTION_KEY_FILE: fileWith(`${text}\n`) },
      ]) {
        const { keyEncryptionKey } = readConfig(env).signingKeys;
        expect(keyEncryptionKey?.export().equals(KEY)).toBe(true);
      }
    });

    it('prints neither key nor PIN', () => {
      const config = readConfig({
        PERMITRY_KEY_ENCRYPTION_KEY: KEY.toString('hex'),
        PERMITRY_PKCS11_MODULE: '/usr/lib/module.so',
        PERMITRY_PKCS11_PIN: 'very-secret-pin',
      });
      const printed = JSON.stringify(config) + inspect(config, { depth: 9 });
      for (const secret of [KEY.toString('hex'), KEY.toString('base64'), 'very-secret-pin', '07 07 07']) {
        expect(printed).not.toContain(secret);
      }
    });

    it.each<[string, Record<string, string>, RegExp]>([
      ['too short a key', { PERMITRY_KEY_ENCRYPTION_KEY: 'c2hvcnQ=' }, /32 random bytes/],
      ['words instead of a key', { PERMITRY_KEY_ENCRYPTION_KEY: 'correct horse battery' }, /openssl rand/],
      [
        'only the previous key',
        { PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS: KEY.toString('hex') },
        /PREVIOUS needs PERMITRY_KEY_ENCRYPTION_KEY/,
      ],
      ['a module without a PIN', { PERMITRY_PKCS11_MODULE: '/usr/lib/module.so' }, /PERMITRY_PKCS11_PIN/],
      ['a PIN without a module', { PERMITRY_PKCS11_PIN: '1234' }, /PERMITRY_PKCS11_MODULE/],
      [
        'a module by name',
        { PERMITRY_PKCS11_MODULE: 'module.so', PERMITRY_PKCS11_PIN: '1' },
        /absolute path/,
      ],
      ['a fraction of a day', { PERMITRY_SIGNING_KEY_ROTATION_DAYS: '0.5' }, /whole number/],
    ])('refuses %s, without quoting it', (_what, env, problem) => {
      const problems = problemsWith(env);
      expect(problems.join('; ')).toMatch(problem);
      for (const secret of ['c2hvcnQ=', 'correct horse', KEY.toString('hex')]) {
        expect(problems.join('; ')).not.toContain(secret);
      }
    });
  });
});
