/** Anonymous visitors cannot make the gate call an OpenID provider without limit. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
/** A provider that refuses every code, and counts them. */
let provider: Server;
let codes: number;
beforeEach(async () => {
  codes = 0;
  provider = createServer((request, response) => {
    const { port } = provider.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    const isToken = request.url === '/token';
    if (isToken) codes += 1;
    response.writeHead(isToken ? 400 : 200, { 'content-type': 'application/json' });
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    };
    response.end(JSON.stringify(isToken ? { error: 'invalid_grant' } : metadata));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const example = {
    id: 'example',
    name: 'Example',
    issuer: new URL(`http://127.0.0.1:${port}`),
    clientId: 'permitry',
    clientSecret: null,
    scope: 'openid email',
  };
  t = await openTestApp({ mode: 'live', config: { oidc: [example], rateLimitPerMinute: 10_000 } });
});
afterEach(async () => {
  await t.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

/** One step of a browser that never visited the provider. */
const step = (path: string, address: string, cookie = '') =>
  t.call('GET', `/console/oidc/example/${path}`, { address, headers: cookie === '' ? {} : { cookie } });

it('made-up codes make the gate call the provider at most 119 times a minute', async () => {
  const left = await step('start', '192.0.2.9');
  const cookie = String(left.headers['set-cookie']).split(';')[0] ?? '';
  const state = new URL(String(left.headers.location)).searchParams.get('state');
  const comeBack = (address: string) => step(`callback?code=x&state=${state}`, address, cookie);
  const ends = new Set<string>();
  for (let n = 0; n < 125; n += 1) ends.add(String((await comeBack('192.0.2.9')).headers.location));
  expect(codes).toBe(119);
  expect([...ends].map((end) => new URL(end).search)).toEqual([
    '?problem=provider_refused',
    '?problem=provider_unavailable',
  ]);
  // A browser at another address can still return from the provider. One at this address can do so a minute later.
  await comeBack('198.51.100.1');
  t.clock.advance(60);
  await comeBack('192.0.2.9');
  expect(codes).toBe(121);
});
