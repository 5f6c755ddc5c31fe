/** Threat 11, what can be said in one request: JSON bombs, odd media types, odd paths. Refused alike, and nothing stays. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doorOf, expectRefused } from './doors.ts';
import { type Arena, openArena } from './open-arena.ts';

let t: Arena;
beforeAll(async () => {
  t = await openArena({ mode: 'test' });
});
afterAll(() => t.close());

const LIMIT = 256 * 1024;
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** As many bytes as the limit, in the shape asked for. */
function filled(opening: string, item: (index: number) => string, closing: string): string {
  const items: string[] = [];
  for (let size = opening.length + closing.length, index = 0; ; index += 1) {
    const next = item(index);
    size += next.length + 1;
    if (size > LIMIT) return opening + items.join(',') + closing;
    items.push(next);
  }
}

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

describe.each(['/api/intents', '/v1/intents', '/api/intents/permit/verify', '/v1/permits/validate'])(
  '%s',
  (path) => {
    const door = doorOf(path);
    const params = door === 'A' ? 'context' : 'params';
    const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
      t.expectUnchanged(async () => {
        const response = await t.app.inject({
          method: 'POST',
          url: path,
          headers: {
            authorization: `Bearer ${t.first.agent_key}`,
            'content-type': 'application/json',
            ...headers,
          },
          payload: body,
        });
        return {
          status: response.statusCode,
          headers: response.headers,
          body: response.json(),
          text: response.payload,
        };
      });

    it.each([
      ['depth 65, objects', `{"${params}":${nested(64, '{"a":', '}').replace('}', '1}')}}`],
      ['depth 65, lists', `{"${params}":{"a":${nested(63, '[', ']')}}}`.replace('[]', '[[]]')],
      ['a hundred thousand lists', nested(100_000, '[', ']')],
      ['a hundred thousand openings', '['.repeat(100_000)],
      ['a hundred thousand objects unclosed', '{"a":'.repeat(40_000)],
      ['__proto__', `{"action":"a","${params}":{"__proto__":{"x":1}}}`],
      ['__proto__ escaped', `{"action":"a","${params}":{"\\u005f\\u005fproto\\u005f\\u005f":{"x":1}}}`],
      ['__proto__ on top', '{"__proto__":{"action":"a"},"source_type":"ai_agent"}'],
      ['a byte order mark', bytes([0xef, 0xbb, 0xbf], '{"action":"a"}')],
      ['UTF-16', Buffer.from('{"action":"a"}', 'utf16le')],
      ['UTF-16 with its mark', bytes([0xff, 0xfe], [0x7b, 0, 0x7d, 0])],
      ['a byte that is no UTF-8', bytes('{"action":"', [0xff], '"}')],
      ['a letter spelled too long', bytes('{"action":"', [0xc1, 0x81], '"}')],
      ['a surrogate in UTF-8', bytes('{"action":"', [0xed, 0xa0, 0x80], '"}')],
      ['a character beyond the last', bytes('{"action":"', [0xf4, 0x90, 0x80, 0x80], '"}')],
      ['a sequence cut off', bytes('{"action":"', [0xe2, 0x82])],
      ['a lone surrogate', '{"action":"\\udc00"}'],
      ['1e400', `{"action":"a","${params}":{"n":1e400}}`],
      ['a number of 200,000 digits', `{"action":"a","${params}":{"n":${'9'.repeat(200_000)}}}`],
      [
        'a fraction of 200,000 digits and an exponent',
        `{"action":"a","${params}":{"n":1.${'0'.repeat(200_000)}e9999}}`,
      ],
      ['an exponent of 200,000 digits', `{"action":"a","${params}":{"n":1e${'9'.repeat(200_000)}}}`],
      ['no JSON', 'action=a&source_type=ai_agent'],
      ['two documents', '{"action":"a"}{"action":"b"}'],
      ['a NUL behind it', '{"action":"a","source_type":"ai_agent"}\u0000'],
      ['a list', '[{"action":"a"}]'],
      ['a text', '"a"'],
      ['null', 'null'],
      ['only white space', ' '.repeat(1000)],
      ['a hundred thousand white spaces inside', `{"action"${' '.repeat(100_000)}:1,}`],
      ['twenty thousand unknown members', filled('{', (i) => `"m${i}":1`, '}')],
      ['one name of 250,000 letters', `{"${'x'.repeat(250_000)}":1}`],
      ['a list of 60,000 approvers', filled('{"action":"a","approvers":[', (i) => `"${i}"`, ']}')],
      ['60,000 times the same approver', filled('{"action":"a","approvers":[', () => '"a"', ']}')],
      ['a list of 40,000 objects for approvers', filled('{"action":"a","approvers":[', () => '{}', ']}')],
      ['an action of 250,000 letters', `{"action":"${'a'.repeat(250_000)}"}`],
      ['a source of 250,000 letters', `{"action":"a","source":"${'a'.repeat(250_000)}"}`],
    ])('%s: 400, in few words', async (_name, body) => {
      const answer = await send(body);
      expect(answer.status, answer.text.slice(0, 300)).toBe(400);
      expect(['MISSING_FIELDS', 'INVALID_FIELDS', 'invalid_request']).toContain(answer.body.error.code);
      expect(answer.text.length).toBeLessThan(40_000);
      expect(({} as { x?: number }).x).toBeUndefined();
    });

    it.each([
      ['a byte too much', `{"action":"${'a'.repeat(LIMIT)}"}`],
      ['10 MB', Buffer.alloc(10 * 1024 * 1024, 0x20)],
      ['a million members', `{${Array.from({ length: 1_000_000 }, (_, i) => `"${i}":1`).join(',')}}`],
      ['a million lists', nested(1_000_000, '[', ']')],
    ])('%s: 413', async (_name, body) => {
      expectRefused(door, await send(body), 413, 'PAYLOAD_TOO_LARGE');
    });

    it.each([
      ['text/plain', {}],
      ['application/x-www-form-urlencoded', {}],
      ['multipart/form-data; boundary=x', {}],
      ['application/xml', {}],
      ['application/jsonp', {}],
      ['application/json; charset=utf-16', {}],
      ['application/json; charset=iso-8859-1', {}],
      ['application/json; charset=utf-8; charset=utf-16', {}],
      ['application/json, text/plain', {}],
      ['application/json; boundary=x', {}],
      ['application/vnd.api+json', {}],
      ['application/json', { 'content-encoding': 'gzip' }],
      ['application/json', { 'content-encoding': 'identity, deflate' }],
      ['application/json', { 'content-encoding': 'br' }],
    ])('%s %j: 415', async (type, headers) => {
      const answer = await send('{"action":"a","source_type":"ai_agent"}', {
        'content-type': type,
        ...headers,
      });
      expectRefused(door, answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    });

    it('depth 64 is read, and what fits is kept whole', async () => {
      if (path.endsWith('intents')) {
        const deep = `${'{"a":'.repeat(62)}{}${'}'.repeat(62)}`;
        const body = `{"action":"a","source_type":"ai_agent","${params}":${deep}}`;
        const made = await t.call('POST', path, { key: t.first.agent_key, body });
        expect(made.status, made.text).toBe(201);
        expect(JSON.stringify(made.body[params])).toBe(deep);
        const wide = {
          [params]: { text: 'ü'.repeat(100_000), list: Array.from({ length: 10_000 }, (_, i) => i) },
        };
        const large = await t.call('POST', path, {
          key: t.first.agent_key,
          body: { action: 'a', source_type: 'ai_agent', ...wide },
        });
        expect(large.status, large.text.slice(0, 200)).toBe(201);
        expect(large.body[params]).toEqual(wide[params]);
      }
    });
  },
);

describe('names that every object has', () => {
  it('are members like any other', async () => {
    const params = { constructor: { prototype: { x: 1 } }, toString: 1, hasOwnProperty: 2, valueOf: null };
    for (const door of t.doors) {
      const made = await door.create(t.first.agent_key, 'a', params);
      expect(made.status, made.text).toBe(201);
      expect(made.body[door.name === 'A' ? 'context' : 'params']).toEqual(params);
    }
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('paths and methods', () => {
  const inject = (method: string, url: string, headers: Record<string, string> = {}) =>
    t.expectUnchanged(() => t.call(method, url, { key: t.first.secret_key, headers }));

  it.each([
    '/v1/intents/',
    '//v1/intents',
    '/v1//intents',
    '/V1/intents',
    '/v1/INTENTS',
    '/api/../v1/intents',
    '/api/%2e%2e/v1/intents',
    '/v1/intents%2f..%2f..',
    '/v1/intents;x=1',
    '/v1/intents/x/approve',
    '/v1/intents/x%2fapprove',
    '/v1/intents/..%2f..%2fhealthz/permit/',
    '/v1/projects/..%2f/keys',
    '/v1%2fintents',
    '/%76%31/intents/',
    '/v1/intents\\..',
    '/metrics',
    '/.env',
    '/.git/config',
    '/approve/../v1/intents',
    `/v1/intents/${'x'.repeat(2000)}`,
    `/${'x/'.repeat(4000)}`,
    `/v1/${'intents/'.repeat(1000)}`,
  ])('%s: nothing is there', async (url) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const answer = await inject(method, url);
      expect([400, 404], `${method} ${url}: ${answer.text}`).toContain(answer.status);
    }
  });

  it.each([
    '/v1/intents/%',
    '/v1/intents/%zz',
    '/v1/intents/%c0%af',
    '/v1/intents/%ff',
    '/v1/projects/%e0%a4/audit',
  ])('%s: 400 or 404, never 500', async (url) => {
    expect([400, 404]).toContain((await inject('GET', url)).status);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH', 'LOCK'])(
    '%s where it is no route: 404, and no method is believed from a header',
    async (method) => {
      for (const url of ['/v1/intents', '/api/intents']) {
        const answer = await inject(method, url, {
          'x-http-method-override': 'POST',
          'x-http-method': 'POST',
          'x-method-override': 'POST',
        });
        expect([400, 404, 405], answer.text).toContain(answer.status);
      }
    },
  );

  it('neither host nor forwarded headers reach the addresses given out', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      forwarded: 'host=evil.example',
      'x-original-url': '/api/intents',
      'x-rewrite-url': '/api/intents',
    };
    const made = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      headers,
      body: { action: 'a' },
    });
    expect(made.status).toBe(201);
    expect(made.body.approval_url).toBe(`http://localhost:4000/approve/${made.body.id}`);
    const key = await t.call('GET', `/v1/projects/${t.projectId}/public-key`, {
      key: t.first.agent_key,
      headers,
    });
    expect(key.text).not.toContain('evil.example');
  });
});
