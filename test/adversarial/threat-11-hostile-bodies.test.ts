/** Threat 11, what can be said in one request: JSON bombs, odd media types, odd paths. Refused alike, and nothing stays. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hostileBodies,
  ODD_PATHS,
  OTHER_MEDIA_TYPES,
  tooLargeBodies,
} from '../../attack/tables/hostile-bodies.ts';
import { expectOfEach } from './expect-of-each.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, surfaceOf } from './surfaces.ts';

let t: Arena;
beforeAll(async () => {
  t = await openArena({ mode: 'test' });
});
afterAll(() => t.close());

describe.each(['/api/intents', '/v1/intents', '/api/intents/permit/verify', '/v1/permits/validate'])(
  '%s',
  (path) => {
    const surface = surfaceOf(path);
    const params = surface === 'A' ? 'context' : 'params';
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

    it('a hostile body: 400, in few words', () =>
      expectOfEach(hostileBodies(params), async (_name, body) => {
        const answer = await send(body);
        expect(answer.status, answer.text.slice(0, 300)).toBe(400);
        expect(['MISSING_FIELDS', 'INVALID_FIELDS', 'invalid_request']).toContain(answer.body.error.code);
        expect(answer.text.length).toBeLessThan(40_000);
        expect(({} as { x?: number }).x).toBeUndefined();
      }));

    it('a body that is too large: 413', () =>
      expectOfEach(tooLargeBodies(), async (_name, body) => {
        expectRefused(surface, await send(body), 413, 'PAYLOAD_TOO_LARGE');
      }));

    it('another media type: 415', () =>
      expectOfEach(OTHER_MEDIA_TYPES, async (type, headers) => {
        const answer = await send('{"action":"a","source_type":"ai_agent"}', {
          'content-type': type,
          ...headers,
        });
        expectRefused(surface, answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
      }));

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
    for (const surface of t.surfaces) {
      const made = await surface.create(t.first.agent_key, 'a', params);
      expect(made.status, made.text).toBe(201);
      expect(made.body[surface.name === 'A' ? 'context' : 'params']).toEqual(params);
    }
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('paths and methods', () => {
  const inject = (method: string, url: string, headers: Record<string, string> = {}) =>
    t.expectUnchanged(() => t.call(method, url, { key: t.first.secret_key, headers }));

  it('odd paths: nothing is there', () =>
    expectOfEach(
      ODD_PATHS.map((row) => [row] as const),
      async (url) => {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
          const answer = await inject(method, url);
          expect([400, 404], `${method} ${url}: ${answer.text}`).toContain(answer.status);
        }
      },
    ));

  it('paths that cannot be decoded: 400 or 404, never 500', () =>
    expectOfEach(
      [
        '/v1/intents/%',
        '/v1/intents/%zz',
        '/v1/intents/%c0%af',
        '/v1/intents/%ff',
        '/v1/projects/%e0%a4/audit',
      ].map((row) => [row] as const),
      async (url) => {
        expect([400, 404]).toContain((await inject('GET', url)).status);
      },
    ));

  it('a method where it is no route: 404, and no method is believed from a header', () =>
    expectOfEach(
      ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH', 'LOCK'].map(
        (row) => [row] as const,
      ),
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
    ));

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
