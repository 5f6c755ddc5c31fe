/** Threat 11 over sockets, in addition to the catalogue: slow readers, floods, targets and hosts. */
import type { AddressInfo, Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawConnections, statusesIn } from '../../attack/range/raw-connection.ts';
import { type Arena, openArena } from './open-arena.ts';

/** The same process serves other clients too, so these limits allow a pause without making any client late. */
const ARRIVAL = { headersMs: 2500, requestMs: 3000, silentMs: 5000 };

let t: Arena;
let raw: RawConnections;
beforeAll(async () => {
  t = await openArena({
    mode: 'test',
    logLevel: 'error',
    deps: { arrival: ARRIVAL },
    config: { rateLimitPerMinute: 0 },
  });
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = t.app.server.address() as AddressInfo;
  raw = new RawConnections(new URL(`http://127.0.0.1:${port}`));
});
afterAll(async () => {
  t.app.server.closeAllConnections();
  await t.close();
});

/** Sends, and collects data until the other side ends or `enough` returns true. */
async function exchange(sent: string, enough?: (text: string) => boolean): Promise<string> {
  return (await raw.exchange(sent, { ...(enough ? { enough } : {}), patienceMs: 100_000 })).text;
}

const answers = (count: number) => (text: string) => statusesIn(text).length >= count && /\}$/.test(text);

function request(method: string, path: string, key: string, body = '', more: readonly string[] = []): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

const CREATE = '{"action":"a","source_type":"ai_agent"}';
const create = (path = '/v1/intents') => request('POST', path, t.first.agent_key, CREATE);

/** The gate serves another client immediately, whatever else happens. */
async function expectServed(): Promise<void> {
  expect(statusesIn(await exchange(create(), answers(1)))).toEqual([201]);
}

describe('slow senders', () => {
  it('do not delay other clients, even 300 of them, and all get a 408', async () => {
    const slow = Promise.all(Array.from({ length: 300 }, () => exchange(create().slice(0, -5))));
    for (let i = 0; i < 20; i += 1) await expectServed();
    for (const text of await slow) expect(statusesIn(text)).toEqual([408]);
  });
});

describe('slow readers', () => {
  it('that request much and read nothing are disconnected', async () => {
    const served: Promise<unknown>[] = [];
    const count = (socket: Socket) => served.push(new Promise((done) => socket.once('close', done)));
    t.app.server.on('connection', count);
    const sockets = await Promise.all(Array.from({ length: 100 }, () => raw.open()));
    const ask = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(60);
    for (const socket of sockets) socket.pause().write(ask);
    await expectServed();
    await Promise.all(served);
    t.app.server.off('connection', count);
    for (const socket of sockets) socket.destroy();
    await expectServed();
  });
});

describe('a connection', () => {
  it('that sends a hundred requests in one packet gets the answers in their order', async () => {
    const start = t.now();
    const many = Array.from({ length: 100 }, (_, i) =>
      i % 2 ? create() : request('GET', '/v1/intents/int_none', t.first.agent_key),
    ).join('');
    const text = await exchange(many, answers(100));
    expect(statusesIn(text)).toEqual(Array.from({ length: 100 }, (_, i) => (i % 2 ? 201 : 404)));
    expect(t.written(start).filter(({ type }) => type === 'intent.created')).toHaveLength(50);
  });

  it('that is closed at any point breaks nothing', async () => {
    for (let i = 0; i < 50; i += 1) {
      const socket = await raw.open();
      socket.write(create().slice(0, 40 + i * 4));
      if (i % 2) socket.resetAndDestroy();
      else socket.end();
    }
    await expectServed();
  });
});

describe('in an ambiguous request', () => {
  /** If the gate read this as a separate request, it would create an intent. */
  const hidden = () => create('/v1/intents');

  it.each([
    [
      'a request refused before its body',
      () => request('POST', '/v1/permits/revoke', t.first.agent_key, hidden()),
      [403],
    ],
    ['a request without a key', () => request('POST', '/v1/intents', 'nobody', hidden()), [401]],
    ['a request for nothing', () => request('POST', '/v1/nothing', t.first.agent_key, hidden()), [404]],
    ['a GET with a body', () => request('GET', '/v1/intents/int_none', t.first.agent_key, hidden()), [404]],
    [
      'a body of another type',
      () => request('POST', '/v1/intents', t.first.agent_key, hidden()).replace('/json', '/x'),
      [415],
    ],
    ['a body that is none', () => request('POST', '/v1/intents', t.first.agent_key, hidden()), [400]],
    [
      'a body that is too large',
      () => request('POST', '/v1/intents', t.first.agent_key, hidden().repeat(1500)),
      [413],
    ],
  ] as const)('the body is not read as another request: %s', async (_name, sent, expected) => {
    const before = t.snapshot();
    const text = await exchange(sent(), answers(1));
    expect(statusesIn(text)).toEqual(expected);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(t.snapshot()).toEqual(before);
  });

  it.each(['evil.example)', 'evil.example', '<b>', '', 'localhost:1:2'])(
    'the host %j is repeated in no answer',
    async (host) => {
      const sent = create().replace('Host: localhost', `Host: ${host}`);
      const text = await exchange(sent, answers(1));
      expect([201, 400]).toContain(statusesIn(text)[0]);
      if (host !== '') expect(text).not.toContain(host);
      const page = await exchange(
        `GET /inbox HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        (received) => /<\/html>\s*$/.test(received),
      );
      if (host !== '' && host !== '<b>') expect(page).not.toContain(host);
    },
  );

  it('a whole address as the target counts only as its path, whatever host it names', async () => {
    for (const origin of ['http://localhost', 'http://evil.example:1', 'HTTPS://key@evil.example']) {
      const made = await exchange(
        request('POST', `${origin}/v1/intents`, t.first.agent_key, CREATE),
        answers(1),
      );
      expect(statusesIn(made)).toEqual([201]);
      expect(made).not.toContain('evil.example');
      for (const [path, code] of [
        ['/api/intents/int_none', 'INTENT_NOT_FOUND'],
        ['/v1/intents/int_none', 'intent_not_found'],
        ['/api/nothing', 'NOT_FOUND'],
      ] as const) {
        const text = await exchange(request('GET', origin + path, t.first.agent_key), answers(1));
        expect(statusesIn(text)).toEqual([404]);
        expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code } });
      }
      const refused = request('POST', `${origin}/v1/projects/${t.projectId}/stop`, t.first.agent_key, '{}');
      expect(statusesIn(await exchange(refused, answers(1)))).toEqual([403]);
      expect(t.written().at(-1)).toMatchObject({ type: 'access.refused', projectId: t.projectId });
    }
  });

  it('a target that is neither a path nor an address leads nowhere', async () => {
    for (const target of [
      '*',
      'localhost:80',
      '//x/v1/intents',
      'http://',
      'file:///v1/intents',
      'v1/intents',
    ]) {
      const sent = request('POST', target, t.first.agent_key, CREATE);
      const text = await t.expectUnchanged(() => exchange(sent, answers(1)));
      expect([400, 404], target).toContain(statusesIn(text)[0]);
    }
  });
});

describe('memory', () => {
  it('is freed after a flood of refused requests', async () => {
    setFlagsFromString('--expose_gc');
    const gc = runInNewContext('gc') as () => void;
    const chunk = `10000\r\n${'['.repeat(0x10000)}\r\n`;
    const flood = async (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        await Promise.all([
          // One body of ten megabytes has no stated length, the other has one.
          exchange(
            `${request('POST', '/v1/intents', t.first.agent_key, '', ['Content-Type: application/json', 'Transfer-Encoding: chunked'])}${chunk.repeat(160)}0\r\n\r\n`,
            answers(1),
          ),
          exchange(
            request('POST', '/api/intents', t.first.agent_key, ' '.repeat(10 * 1024 * 1024)),
            answers(1),
          ),
          ...['['.repeat(250_000), `{"a":"${'x'.repeat(250_000)}"}`, `[${'1,'.repeat(120_000)}1]`].map(
            (body) => exchange(request('POST', '/v1/intents', t.first.agent_key, body), answers(1)),
          ),
        ]);
      }
    };
    await flood(5);
    gc();
    const before = process.memoryUsage();
    await flood(40);
    gc();
    const after = process.memoryUsage();
    const grown = (name: 'heapUsed' | 'rss' | 'external') => (after[name] - before[name]) / 1024 / 1024;
    // The clients sent nearly a gigabyte.
    expect(grown('heapUsed')).toBeLessThan(20);
    expect(grown('external')).toBeLessThan(40);
    expect(grown('rss')).toBeLessThan(200);
    await expectServed();
  });
});
