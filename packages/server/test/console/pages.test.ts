import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPages } from '../../src/http/console/pages.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const UNKNOWN = 'int_00000000000000000000000000';

describe('the pages of the dashboard', () => {
  it.each([
    '/inbox',
    '/history',
    `/approve/${UNKNOWN}`,
    '/sign-in',
    '/set-up',
    '/invitation',
    '/reset-password',
    '/account',
    '/account/security',
    '/projects/prj_x',
    '/projects/prj_x/policy',
    '/projects/prj_x/policy/versions',
  ])('%s serves the one document, which browsers revalidate each time', async (path) => {
    const { status, text, headers } = await t.call('GET', path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).toContain('<div id="app">');
    expect(text).toContain('<noscript>');
    const again = await t.call('GET', path, { headers: { 'if-none-match': String(headers.etag) } });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('start at the inbox', async () => {
    const { status, headers } = await t.call('GET', '/');
    expect([status, headers.location]).toEqual([302, '/inbox']);
  });

  it.each(['/inbox/more', '/nowhere', '/approve', '/projects/a/b/c/d', '/assets/', '/assets/a/b'])(
    'an address without a page is a 404 in JSON: %s',
    async (path) => {
      const { status, body } = await t.call('GET', path);
      expect(status).toBe(404);
      expect(body.error).toMatchObject({ code: 'not_found' });
    },
  );

  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it.each(['/inbox/more', '/nowhere', '/approve', '/projects/a/b/c/d', '/v1ews'])(
    'an address without a page shows a browser the page for this: %s',
    async (path) => {
      const { status, text, headers } = await t.call('GET', path, { headers: { accept: BROWSER } });
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(text).toBe((await t.call('GET', '/inbox')).text);
    },
  );

  it.each([
    ['/nowhere', '*/*'],
    ['/nowhere', 'application/json'],
    ['/nowhere', 'application/json, text/html;q=0'],
    ['/v1/nowhere', BROWSER],
    ['/v1?x', BROWSER],
    ['/api/nowhere', BROWSER],
    ['/console/nowhere', BROWSER],
    ['/mcp/nowhere', BROWSER],
    ['/assets/nowhere.js', BROWSER],
    ['/.well-known/nowhere', BROWSER],
  ])(
    'a client other than a browser, or an API path, gets a 404 in JSON: %s, accepting %s',
    async (path, accept) => {
      const { status, body } = await t.call('GET', path, { headers: { accept } });
      expect([status, body.error]).toMatchObject([404, { code: expect.stringMatching(/^not_found$/i) }]);
    },
  );

  it('a POST from a browser gets a 404 in JSON', async () => {
    const { status, body } = await t.call('POST', '/nowhere', { headers: { accept: BROWSER }, body: {} });
    expect([status, body.error]).toMatchObject([404, { code: 'not_found' }]);
  });
});

describe('the assets of the pages', () => {
  it('can be cached forever, and are compressed if the client accepts it', async () => {
    const { text: page } = await t.call('GET', '/inbox');
    const [script = ''] = /\/assets\/shell-[\w-]+\.js/.exec(page) ?? [];
    const plain = await t.app.inject({ url: script });
    expect(plain.statusCode).toBe(200);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const brotli = await t.app.inject({ url: script, headers: { 'accept-encoding': 'gzip, deflate, br' } });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.rawPayload)).toEqual(plain.rawPayload);
    const gzip = await t.app.inject({ url: script, headers: { 'accept-encoding': 'gzip, br;q=0' } });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.rawPayload)).toEqual(plain.rawPayload);
  });

  it.each([
    '/assets/index.js',
    '/assets/..%2findex.html',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fpackage.json',
    '/assets/..%5c..%5cpackage.json',
  ])('are the only files served: %s is not found', async (path) => {
    const { status, headers } = await t.call('GET', path);
    expect(status).toBe(404);
    expect(headers['cache-control']).not.toMatch(/immutable/);
  });
});

describe('an approval link', () => {
  it('reveals nothing to a stranger, not even whether the intent exists', async () => {
    const made = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'secret.action' },
    });
    const real = await t.call('GET', `/approve/${made.body.id}`);
    const unreal = await t.call('GET', `/approve/${UNKNOWN}`);
    expect(real.status).toBe(200);
    expect(real.text).toBe(unreal.text);
    expect(real.headers.etag).toBe(unreal.headers.etag);
    expect(real.text).not.toContain('secret.action');
  });

  it('decides nothing', async () => {
    const made = await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: { action: 'a' } });
    await t.call('GET', `/approve/${made.body.id}`);
    await t.call('GET', `/approve/${made.body.id}?decision=approve`, { key: t.first.secret_key });
    await t.call('HEAD', `/approve/${made.body.id}`);
    expect((await t.call('POST', `/approve/${made.body.id}`)).status).toBe(404);
    const read = await t.call('GET', `/v1/intents/${made.body.id}`, { key: t.first.agent_key });
    expect(read.body.status).toBe('pending');
  });

  it.each([
    '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    'int_%22%3E%3Cimg%20src=x%3E',
    'prj_00000000000000000000000000',
    'x',
  ])('does not repeat the malformed ID %s', async (text) => {
    const { status, text: page } = await t.call('GET', `/approve/${text}`);
    expect(status).toBe(404);
    expect(page).toBe((await t.call('GET', '/inbox')).text);
  });
});

describe('the headers of every page', () => {
  it('allow only the gate’s own files, and forbid framing and content sniffing', async () => {
    for (const path of ['/sign-in', `/approve/${UNKNOWN}`, '/icon.svg', '/']) {
      const { headers } = await t.call('GET', path);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';" +
          "connect-src 'self';manifest-src 'self';worker-src 'self';base-uri 'none';form-action 'none';" +
          "frame-ancestors 'none';require-trusted-types-for 'script';trusted-types permitry",
      );
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['permissions-policy']).toContain('publickey-credentials-get=(self)');
      expect(headers['permissions-policy']).toContain('camera=()');
      expect(headers['strict-transport-security']).toBeUndefined();
    }
  });

  it('require HTTPS if the base URL is HTTPS', async () => {
    const app = Fastify();
    await addPages(app, { baseUrl: 'https://gate.example' });
    const { headers } = await app.inject('/sign-in');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    await app.close();
  });
});

describe('a dashboard that was not built', () => {
  it('says which command builds it', async () => {
    const app = Fastify();
    await addPages(app, {
      baseUrl: 'http://localhost:4000',
      folder: join(tmpdir(), 'there-is-no-such-folder'),
    });
    const page = await app.inject('/inbox');
    expect(page.statusCode).toBe(503);
    expect(page.payload).toContain('npm run build -w @permitry/dashboard');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    await app.close();
  });

  it('is not served in part without its document, and is available once it is built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'permitry-pages-'));
    writeFileSync(join(folder, 'icon.svg'), '<svg/>');
    const app = Fastify();
    await addPages(app, { baseUrl: 'http://localhost:4000', folder });
    expect((await app.inject('/inbox')).statusCode).toBe(503);
    expect((await app.inject('/icon.svg')).statusCode).not.toBe(200);
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Permitry</title>');
    expect((await app.inject('/inbox')).statusCode).toBe(200);
    await app.close();
  });
});
