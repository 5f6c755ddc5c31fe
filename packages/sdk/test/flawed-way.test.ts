/** One call each, at a server that misbehaves. The result is a clear error, and only a 429 is retried. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionError, Permitry, PermitryError } from '../src/index.ts';
import {
  answer,
  breakMidway,
  type FlawedWay,
  keepSilent,
  loseRequest,
  openFlawedWay,
  refuse,
  trickle,
} from './fixtures/open-flawed-way.ts';

const KEY = 'prm_agent_test_secret';
const INTENT = { id: 'int_1', status: 'pending', action: 'deploy', expires_at: '2026-11-20T00:00:00.000Z' };

let way: FlawedWay;
let permitry: Permitry;
beforeEach(async () => {
  way = await openFlawedWay();
  permitry = new Permitry({ baseUrl: way.url, apiKey: KEY });
});
afterEach(() => way.close());

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable('it was answered'),
    (error: unknown) => error,
  );
}

const create = () => permitry.intents.create({ action: 'deploy' });

describe('a 429 answer', () => {
  const EARLY = { date: 'Fri, 20 Nov 2026 09:59:59 GMT', 'x-ratelimit-reset': '1795168800' };
  const NOW = { date: 'Fri, 20 Nov 2026 10:00:00 GMT', 'x-ratelimit-reset': '1795168800' };

  it('is retried under the same key, after the back-off by the answer’s own clock', async () => {
    way.next(
      '*',
      refuse(429, 'rate_limited', { headers: EARLY }),
      refuse(429, 'rate_limited', { headers: NOW }),
    );
    way.next('*', answer(201, INTENT));
    const begun = performance.now();
    expect((await create()).id).toBe('int_1');
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1000);
    expect(way.seen).toHaveLength(3);
    expect(new Set(way.seen.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).size).toBe(
      1,
    );
    expect(way.seen[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['an hour behind', 'Fri, 20 Nov 2026 09:00:00 GMT', '1795165200'],
    ['years ahead', 'Sat, 20 Nov 2066 10:00:00 GMT', '3057386400'],
  ])('causes almost no wait when the gate’s clock is %s', async (_, date, reset) => {
    const headers = { date, 'x-ratelimit-reset': reset };
    way.next('*', refuse(429, 'rate_limited', { headers }), answer(201, INTENT));
    expect((await create()).id).toBe('int_1');
  });

  it('fails the call after three tries, or as many as the client is configured for', async () => {
    const full = refuse(429, 'rate_limited', { headers: NOW });
    way.next('*', full, full, full, full, full);
    expect(await failureOf(create())).toMatchObject({ code: 'rate_limited', status: 429, retryAfterMs: 100 });
    expect(way.seen).toHaveLength(3);
    const once = new Permitry({ baseUrl: way.url, maxAttempts: 1 });
    expect(await failureOf(once.intents.get('int_1'))).toMatchObject({ code: 'rate_limited' });
    expect(way.seen).toHaveLength(4);
  });

  it('is not retried after an abort', async () => {
    const headers = { 'retry-after': '60' };
    way.next('*', refuse(429, 'rate_limited', { headers }));
    let answers = 0;
    const counting = new Permitry({
      baseUrl: way.url,
      apiKey: KEY,
      async fetch(input, init) {
        const response = await fetch(input, init);
        answers += 1;
        return response;
      },
    });
    const controller = new AbortController();
    const failure = failureOf(counting.intents.create({ action: 'deploy' }, { signal: controller.signal }));
    await expect.poll(() => answers).toBe(1);
    controller.abort(new Error('given up'));
    expect(await failure).toMatchObject({ message: 'given up' });
    expect(way.seen).toHaveLength(1);
  });
});

describe('the client throws at once', () => {
  it.each([
    ['a failure of the gate', refuse(500, 'internal_error'), 'internal_error', 500],
    ['a gate that cannot reach its storage', refuse(503, 'service_unavailable'), 'service_unavailable', 503],
    ['a proxy that cannot reach the gate', answer(502, '<h1>Bad Gateway</h1>'), 'service_unavailable', 502],
    ['a page of another server', answer(404, '<h1>Not here</h1>'), 'unexpected_answer', 404],
    ['a truncated error', answer(500, '{"error":{"code":"inter'), 'unexpected_answer', 500],
    ['an error of another form', answer(418, { error: 'teapot' }), 'unexpected_answer', 418],
    ['surface A’s error codes', refuse(400, 'INVALID_PERMIT', { reason: 'revoked' }), 'permit_invalid', 400],
  ])('on %s', async (_, flaw, code, status) => {
    way.next('*', flaw);
    const error = await failureOf(create());
    expect(error).toBeInstanceOf(PermitryError);
    expect(error).toMatchObject({ code, status });
    expect((error as PermitryError).idempotencyKey).toBe(way.seen[0]?.headers['idempotency-key']);
    expect(way.seen).toHaveLength(1);
  });

  it.each([
    ['a connection that breaks', loseRequest, 'interrupted'],
    ['an answer that breaks midway', breakMidway, 'interrupted'],
    ['truncated JSON', answer(200, '{"id":"int_1","sta'), 'broken_answer'],
    ['a page of HTML', answer(200, '<h1>Welcome</h1>'), 'broken_answer'],
    ['an empty answer', answer(200, ''), 'broken_answer'],
    ['JSON that is not an intent', answer(200, { hello: 'world' }), 'broken_answer'],
    ['null', answer(200, 'null'), 'broken_answer'],
  ])('on %s, and reports that the call may have been carried out', async (_, flaw, problem) => {
    way.next('*', flaw);
    const error = await failureOf(permitry.intents.create({ action: 'deploy' }, { idempotencyKey: 'mine' }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ problem, isSent: true });
    expect(way.seen).toHaveLength(1);
  });

  it.each([
    ['intents', () => permitry.intents.list()],
    ['records', () => permitry.audit.list('prj_1')],
    ['tools', () => permitry.gateway.tools()],
    ['an answer of a tool', () => permitry.gateway.resume('crq_1')],
  ])('on JSON that is not %s', async (_, call) => {
    way.next('*', answer(200, {}), answer(200, 'null'));
    expect(await failureOf(call())).toMatchObject({ problem: 'broken_answer' });
    expect(await failureOf(call())).toMatchObject({ problem: 'broken_answer' });
  });

  it.each([
    ['nothing comes', keepSilent],
    ['a byte comes now and then', trickle],
  ])('when no complete answer comes in time: %s', async (_, flaw) => {
    way.next('*', flaw);
    const call = permitry.intents.create({ action: 'deploy' }, { timeoutMs: 100, idempotencyKey: 'mine' });
    expect(await failureOf(call)).toMatchObject({ problem: 'timeout', isSent: true, idempotencyKey: 'mine' });
  });

  it('when nothing listens at the address, and reports that the call was not sent', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const nobody = new Permitry({ baseUrl: `http://127.0.0.1:${port}`, apiKey: KEY });
    expect(await failureOf(nobody.intents.create({ action: 'deploy' }))).toMatchObject({
      problem: 'unreachable',
      isSent: false,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('when fetch refuses the port, and reports that the call was not sent', async () => {
    const blocked = new Permitry({ baseUrl: 'http://127.0.0.1:1', apiKey: KEY });
    expect(await failureOf(blocked.intents.create({ action: 'deploy' }))).toMatchObject({
      problem: 'unreachable',
      isSent: false,
      message: expect.stringContaining('fetch refuses to connect to this port'),
    });
  });
});

describe('an abort', () => {
  it('before the call prevents any request', async () => {
    const signal = AbortSignal.abort(new Error('never mind'));
    const call = permitry.intents.create({ action: 'deploy' }, { signal });
    expect(await failureOf(call)).toMatchObject({ message: 'never mind' });
    expect(way.seen).toHaveLength(0);
  });

  it('during the call ends it at once, whatever fetch it uses', async () => {
    way.next('*', keepSilent);
    const deaf = new Permitry({
      baseUrl: way.url,
      fetch: (url, init) => fetch(url, { ...init, signal: null }),
    });
    const signal = AbortSignal.timeout(50);
    expect(await failureOf(deaf.intents.get('int_1', { signal }))).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('the API key', () => {
  it.each([301, 302, 303, 307, 308])('is not sent along with a redirect (%s)', async (status) => {
    const elsewhere = await openFlawedWay();
    way.next('*', answer(status, '', { location: `${elsewhere.url}/v1/intents` }));
    const error = await failureOf(create());
    expect(error).toMatchObject({ problem: 'redirected', message: expect.stringContaining(elsewhere.url) });
    expect(elsewhere.seen).toHaveLength(0);
    await elsewhere.close();
  });

  it('appears in no error', async () => {
    way.next('*', loseRequest);
    const error = (await failureOf(create())) as Error;
    expect(`${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain(KEY);
  });
});

describe('an answer that grants nothing', () => {
  it.each([
    {},
    { valid: true },
    { valid: true, authorizes: true, consumed: false },
    { valid: true, authorizes: false, consumed: true },
    { valid: 'true', authorizes: 'true', consumed: 'true' },
  ])('does not pass as a use: %j', async (body) => {
    way.next('*', answer(200, body));
    const call = permitry.permits.consume({ token: 'x', action: 'deploy', params: {} });
    expect(await failureOf(call)).toMatchObject({ problem: 'broken_answer' });
  });

  it.each([{}, { valid: true }, { valid: true, authorizes: false }, { valid: 'true', authorizes: 'true' }])(
    'does not pass as a verification: %j',
    async (body) => {
      way.next('*', answer(200, body));
      const call = permitry.permits.verify({ token: 'x', action: 'deploy', params: {} });
      expect(await failureOf(call)).toMatchObject({ problem: 'broken_answer' });
    },
  );
});

describe('the client’s options', () => {
  it.each([
    { baseUrl: 'gate.example.com' },
    { baseUrl: 'ftp://gate.example.com' },
    { baseUrl: 'https://user:pass@gate.example.com' },
    { baseUrl: 'https://gate.example.com/?key=1' },
    { apiKey: 'with space' },
    { apiKey: 'with\nline' },
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { maxAttempts: 0 },
  ])('are refused when they make no sense: %j', (options) => {
    expect(() => new Permitry(options)).toThrow(TypeError);
  });

  it.each(['https://g.example', 'https://g.example/', 'https://g.example/v1', 'https://g.example/v1/'])(
    'accept the address %s',
    (baseUrl) => {
      expect(new Permitry({ baseUrl }).baseUrl).toBe('https://g.example');
    },
  );

  it('default to the environment', () => {
    process.env.PERMITRY_URL = 'https://from-the-environment.example/v1';
    try {
      expect(new Permitry().baseUrl).toBe('https://from-the-environment.example');
      expect(new Permitry({ baseUrl: way.url }).baseUrl).toBe(way.url);
    } finally {
      delete process.env.PERMITRY_URL;
    }
    expect(new Permitry().baseUrl).toBe('http://localhost:8787');
  });

  it.each(['', 'ü', 'a\nb', 'x'.repeat(256)])(
    'refuse an idempotency key that no header can carry: %j',
    async (idempotencyKey) => {
      const call = permitry.intents.create({ action: 'deploy' }, { idempotencyKey });
      expect(await failureOf(call)).toBeInstanceOf(TypeError);
      expect(way.seen).toHaveLength(0);
    },
  );
});

describe('parameters that JSON would change', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  it.each([
    ['/at', { at: new Date(0) }],
    ['/n', { n: Number.NaN }],
    ['/list/1', { list: [1, undefined] }],
    ['/f', { f: () => 1 }],
    ['/big', { big: 10n }],
    ['/a~1b', { 'a/b': '\ud800' }],
    ['/__proto__', JSON.parse('{"__proto__":{"x":1}}')],
    ['/self', cyclic],
  ])('are refused, and the error names their place: %s', async (place, params) => {
    const error = await failureOf(permitry.intents.create({ action: 'deploy', params: params as never }));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(place);
    expect(way.seen).toHaveLength(0);
  });

  it('are sent when JSON only drops undefined members', async () => {
    way.next('*', answer(201, INTENT));
    await permitry.intents.create({ action: 'deploy', params: { a: undefined, b: [null], c: -0 } as never });
    expect(JSON.parse(way.seen[0]?.body ?? '')).toEqual({ action: 'deploy', params: { b: [null], c: 0 } });
  });
});
