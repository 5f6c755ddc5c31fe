import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTE_ACCESS } from '../../src/http/admission/route-scopes.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

let t: TestApp;
/** The same app with short timeouts. */
let impatient: TestApp;
beforeAll(async () => {
  t = await openTestApp();
  impatient = await openTestApp({ deps: { arrival: { headersMs: 400, requestMs: 600 } } });
  for (const { app } of [t, impatient]) await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await t.close();
  await impatient.close();
});
const portOf = ({ app }: TestApp) => (app.server.address() as AddressInfo).port;

async function create(
  body: string | undefined,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  const response = await t.app.inject({
    method: 'POST',
    url: '/v1/intents',
    headers: { authorization: `Bearer ${t.first.agent_key}`, ...headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: response.statusCode, error: response.json().error as Record<string, unknown>, response };
}

describe('the body parser', () => {
  it.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['no content type', {}],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    ['an invalid content type', { 'content-type': 'json' }],
  ])('refuses %s with 415', async (_name, headers) => {
    const { status, error } = await create('{"action":"deploy"}', headers as Record<string, string>);
    expect(status).toBe(415);
    expect(error.code).toBe('unsupported_media_type');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'accepts %s',
    async (type) => {
      expect((await create('{"action":"deploy"}', { 'content-type': type })).status).toBe(201);
    },
  );

  it.each([undefined, ''])('treats an empty body as {}', async (body) => {
    const { status, error } = await create(body);
    expect(status).toBe(400);
    expect(error).toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/action', message: 'is required' }],
    });
  });

  it('refuses more than 256 KiB with 413', async () => {
    const { status, error } = await create(
      JSON.stringify({ action: 'deploy', params: { a: 'x'.repeat(256 * 1024) } }),
    );
    expect(status).toBe(413);
    expect(error.code).toBe('payload_too_large');
  });

  it.each([
    ['a duplicate name', '{"action":"a","action":"b"}'],
    ['a large integer', '{"action":"a","params":{"n":9007199254740993}}'],
    ['__proto__', '{"action":"a","params":{"__proto__":{}}}'],
    ['a lone surrogate', '{"action":"a","params":{"s":"\\ud800"}}'],
    ['deep nesting', `{"action":"a","params":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`],
    ['broken JSON', '{"action":'],
  ])('refuses %s with 400', async (_name, body) => {
    const { status, error } = await create(body);
    expect(status).toBe(400);
    expect(error.code).toBe('invalid_request');
    expect(error.fields).toHaveLength(1);
  });

  it('names every problem at once, in sentences', async () => {
    const { error } = await create(
      JSON.stringify({
        params: [],
        max_amount: 5,
        expires_in: 0,
        risk_tier: 'huge',
        approvers: [],
        source: 7,
      }),
    );
    const fields = Object.fromEntries(
      (error.fields as { path: string; message: string }[]).map((f) => [f.path, f.message]),
    );
    expect(fields).toEqual({
      '/action': 'is required',
      '/max_amount': 'is not a known member; remove it or correct its name',
      '/params': 'must be an object',
      '/expires_in': 'must be 1 or more',
      '/risk_tier': 'must be one of: low, medium, high, critical',
      '/approvers': 'must not be empty',
      '/source': 'must be a string',
    });
  });

  it('coerces nothing and drops nothing', async () => {
    expect((await create('{"action":"a","expires_in":"60"}')).status).toBe(400);
    const { response } = await create('{"action":"a","params":{"n":"1","extra":{"deep":[1,"1"]}}}');
    expect(response.json().params).toEqual({ n: '1', extra: { deep: [1, '1'] } });
  });

  it('tells a missing field from a wrong one on surface A', async () => {
    const key = t.first.secret_key;
    const missing = await t.call('POST', '/api/intents', { key, body: { action: 'a' } });
    expect(missing.body).toMatchObject({
      error: { code: 'MISSING_FIELDS', fields: [{ path: '/source_type' }] },
    });
    const wrong = await t.call('POST', '/api/intents', { key, body: { action: 'a', source_type: 'robot' } });
    expect(wrong.body).toMatchObject({
      error: { code: 'INVALID_FIELDS', fields: [{ path: '/source_type' }] },
    });
  });

  it('names at most 50 wrong members', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`m${i}`, 1]));
    const { error, response } = await create(JSON.stringify({ action: 'a', ...many }));
    expect(error.fields).toHaveLength(50);
    expect(response.payload.length).toBeLessThan(10_000);
  });
});

describe('the query parser', () => {
  it.each(['0', '201', '1e1', '+5', '05', '5.0', '', 'ten', '-1', '9'.repeat(30)])(
    'refuses limit=%s',
    async (limit) => {
      const { status, body } = await t.call('GET', `/api/intents?limit=${encodeURIComponent(limit)}`, {
        key: t.first.secret_key,
      });
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: { code: 'INVALID_FIELDS', fields: [{ path: '/limit' }] } });
    },
  );

  it('refuses a repeated limit and unknown parameters', async () => {
    for (const query of ['limit=1&limit=2', 'limits=1']) {
      expect((await t.call('GET', `/api/intents?${query}`, { key: t.first.secret_key })).status).toBe(400);
    }
  });

  it.each([
    ['GET', '/api/mcp-gateway', undefined],
    ['POST', '/api/intents', { action: 'x', source_type: 'ci' }],
    ['POST', '/v1/intents', { action: 'x' }],
    ['POST', '/v1/permits/validate', { token: 'x' }],
  ])('refuses a query on a route that reads none: %s %s', async (method, path, body) => {
    const answer = await t.call(method, `${path}?wait=30`, { key: t.first.secret_key, body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { fields: [{ path: '/wait' }] } });
  });

  it('runs only after authentication and authorisation', async () => {
    expect((await t.call('GET', '/api/mcp-gateway?wait=30')).status).toBe(401);
    expect((await t.call('GET', '/api/mcp-gateway?wait=30', { key: t.first.verifier_key })).status).toBe(403);
  });

  it('accepts a whole number as the limit', async () => {
    expect((await t.call('GET', '/api/intents?limit=200', { key: t.first.secret_key })).status).toBe(200);
  });
});

describe('the router', () => {
  it.each([
    ['GET', '/nothing', 'not_found'],
    ['GET', '/v1/nothing', 'not_found'],
    ['GET', '/api/nothing', 'NOT_FOUND'],
    ['DELETE', '/v1/intents', 'not_found'],
    ['GET', `/v1/intents/${'x'.repeat(300)}`, 'not_found'],
  ])('answers %s %s with %s', async (method, url, code) => {
    const { status, body } = await t.call(method, url);
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: { code } });
  });

  it('answers a broken escape with 400', async () => {
    const { status, body, headers } = await t.call('GET', '/v1/intents/%E0%A4%A');
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'invalid_request', request_id: headers['x-request-id'] } });
  });

  it('ignores the client’s request ID and creates its own', async () => {
    const { headers } = await t.call('GET', '/healthz', { headers: { 'x-request-id': 'req_mine' } });
    expect(headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/);
  });
});

/** Sends raw bytes and reads until the server closes. */
function exchange(bytes: string, at = t): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(portOf(at), '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

function parse(raw: string): { status: number; headers: string; body: { error: Record<string, unknown> } } {
  const [headers = '', body = ''] = raw.split('\r\n\r\n');
  return { status: Number(headers.split(' ')[1]), headers: headers.toLowerCase(), body: JSON.parse(body) };
}

describe('the HTTP server', () => {
  it.each([
    ['text that is not HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'invalid_request',
    ],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'invalid_request',
    ],
    [
      'large headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'payload_too_large',
    ],
    ['many headers', `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(5000)}\r\n`, 431, 'payload_too_large'],
  ])('answers %s with the usual error body', async (_name, bytes, status, code) => {
    expectError(parse(await exchange(bytes)), status, code);
  });

  it.each([
    ['silence', ''],
    ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ])('answers %s with 408 and the usual error body', async (_name, bytes) => {
    expectError(parse(await exchange(bytes, impatient)), 408, 'request_timeout');
  });

  function expectError(answer: ReturnType<typeof parse>, status: number, code: string): void {
    expect(answer.status).toBe(status);
    expect(answer.body.error.code).toBe(code);
    expect(answer.headers).toContain(`x-request-id: ${answer.body.error.request_id}`);
    expect(answer.headers).toContain('connection: close');
  }

  it('answers a stalled body with 408', async () => {
    const answer = parse(
      await exchange(
        `POST /v1/intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${impatient.first.agent_key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"action"`,
        impatient,
      ),
    );
    expect(answer.status).toBe(408);
    expect(answer.body.error.code).toBe('request_timeout');
  });

  it('refuses a request with two credentials or two content types', async () => {
    const { agent_key: key } = t.first;
    const send = (...headers: string[]) =>
      exchange(
        `GET /api/intents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers.join('\r\n')}\r\n\r\n`,
      );
    expect(parse(await send(`Authorization: Bearer ${key}`)).status).toBe(200);
    const two = await send(`Authorization: Bearer ${key}`, `Authorization: Bearer ${t.first.verifier_key}`);
    expect(parse(two)).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    const body = JSON.stringify({ action: 'payments.refund', params: {} });
    const typed = await exchange(
      `POST /v1/intents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(parse(typed).status).toBe(415);
  });

  it('releases a request whose sender disconnects in the middle of the body', async () => {
    const socket = connect(portOf(t), '127.0.0.1');
    const begun = once(t.app.server, 'request');
    socket.write(
      `POST /v1/intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.first.agent_key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    const [request] = await begun;
    socket.destroy();
    await expect.poll(() => request.destroyed).toBe(true);
    expect((await t.call('GET', '/healthz')).status).toBe(200);
  });
});

/** Introspection accepts a form and refuses the JSON content type: see packages/server/test/introspection. */
const WITH_BODY = Object.keys(ROUTE_ACCESS).filter(
  (route) => /^(POST|PUT|PATCH) /.test(route) && !route.endsWith('/introspect'),
);

it('every route that takes a body refuses null, and changes nothing', async () => {
  const { headers } = await signedIn(t.gate, t.owner.userId);
  const before = await t.events(t.projectId);
  const answers = [];
  for (const route of WITH_BODY) {
    const [method = '', path = ''] = route.split(' ');
    const url = path.replace('/projects/:id', `/projects/${t.projectId}`).replace(/:\w+/g, 'x');
    // The dashboard's own routes, and proof, accept no keys.
    const ofPerson = path.startsWith('/console/') || path === '/api/verify/proof';
    const credential = ofPerson ? { headers } : { key: t.first.secret_key };
    const { status, body } = await t.call(method, url, { ...credential, body: 'null' });
    const { code, fields } = body.error as { code: string; fields?: unknown };
    answers.push([route, status, code, Array.isArray(fields)]);
  }
  expect(answers).toEqual(
    WITH_BODY.map((route) => {
      const code = route.includes(' /api/') ? 'INVALID_FIELDS' : 'invalid_request';
      return [route, 400, code, true];
    }),
  );
  expect(await t.events(t.projectId)).toEqual(before);
});
