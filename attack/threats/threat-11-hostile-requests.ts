/** Threat 11: bodies, paths and connections meant to harm the program that reads them, while the gate serves others. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused, expectStatus, idOf } from '../range/expect.ts';
import { statusesIn } from '../range/raw-connection.ts';
import type { Stage } from '../range/stage.ts';
import { paramsName, surfaceOf } from '../range/surfaces.ts';
import { hostileBodies, ODD_PATHS, OTHER_MEDIA_TYPES, tooLargeBodies } from '../tables/hostile-bodies.ts';
import { SMUGGLED_REQUESTS } from '../tables/smuggled-requests.ts';

const PATHS = ['/api/intents', '/v1/intents', '/api/intents/permit/verify', '/v1/permits/validate'];
const METHODS = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'SEARCH', 'LOCK'];
/** The gate allows a request 30 seconds to arrive. */
const LONGEST_ARRIVAL_MS = 45_000;

async function expectServed(main: Stage): Promise<void> {
  const body = { action: main.action('served'), expires_in: 60 };
  const answer = await main.call('POST', '/v1/intents', { key: main.agentKey, body, fresh: true });
  check(answer.status === 201, `others are not served meanwhile: ${answer.status}`, answer);
}

/** Expects the gate to accept and store in full what is merely deep, large or oddly named. */
async function expectKept(main: Stage): Promise<void> {
  for (const params of [
    JSON.parse(`${'{"a":'.repeat(62)}{}${'}'.repeat(62)}`),
    { text: 'ü'.repeat(100_000), list: Array.from({ length: 10_000 }, (_, i) => i) },
    { constructor: { prototype: { x: 1 } }, toString: 1, hasOwnProperty: 2, valueOf: null },
  ] as object[]) {
    for (const surface of main.surfaces) {
      const more = { expires_in: 60 };
      const made = expectDone(
        await surface.create(main.agentKey, main.action('kept'), params, more),
        'asking',
      );
      const kept = JSON.stringify(made.body[paramsName(surface.name)]);
      check(kept === JSON.stringify(params), 'what may be asked for is not kept whole', made);
    }
  }
}

function rawRequest(main: Stage, body: string, path = '/v1/intents'): string {
  return [
    `POST ${path} HTTP/1.1`,
    `Host: ${main.client.target.host}`,
    `Authorization: Bearer ${main.agentKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** Whether the agent's request exists, in whatever way it was sent. */
async function wasAsked(main: Stage, action: string): Promise<boolean> {
  const list = expectDone(
    await main.call('GET', '/api/intents?limit=200', { key: main.agentKey }),
    'listing',
  );
  return (list.body.intents as { action: string }[]).some((intent) => intent.action === action);
}

export const HOSTILE_REQUESTS: readonly CatalogueEntry[] = [
  {
    id: 'T11-bombs',
    title: 'JSON that is meant to harm its reader',
    threats: ['11', '6'],
    aisvs: ['9.2.2'],
    attack:
      'Depth, duplicate and reserved names, broken encodings, numbers of 200,000 digits and tens of thousands of members, at four operations.',
    expected: '400 in few words for each; others are served.',
    needs: ['agent'],
    async run({ main }) {
      let count = 0;
      for (const path of PATHS) {
        const params = paramsName(surfaceOf(path));
        await main.unchanged('hostile bodies', { whole: false }, async () => {
          for (const [what, body] of hostileBodies(params)) {
            const answer = await main.call('POST', path, { key: main.agentKey, body });
            expectStatus(answer, 400, `${what} at ${path}`);
            const { code } = answer.body.error as { code: string };
            const isKnown = ['MISSING_FIELDS', 'INVALID_FIELDS', 'invalid_request'].includes(code);
            check(isKnown, `${what}: refused as ${code}`, answer);
            const { length } = answer.text;
            check(length < 40_000, `${what}: an answer of ${length} characters`, answer);
            count += 1;
          }
        });
      }
      check(({} as { x?: number }).x === undefined, 'a prototype was changed');
      await expectServed(main);
      await expectKept(main);
      return `${count} bodies`;
    },
  },
  {
    id: 'T11-too-large',
    title: 'bodies that are too large',
    threats: ['11'],
    aisvs: [],
    attack: 'Bodies of a byte too much, of ten megabytes, and of a million members.',
    expected: '413 payload_too_large; others are served.',
    needs: ['agent'],
    async run({ main }) {
      await main.unchanged('bodies that are too large', { whole: false }, async () => {
        for (const path of PATHS) {
          for (const [what, body] of tooLargeBodies()) {
            // The gate may close the connection before it has received everything, which is an equally good result.
            const answer = await main.call('POST', path, { key: main.agentKey, body }).catch(hungUp);
            if (answer !== undefined) expectRefused(surfaceOf(path), answer, 413, 'PAYLOAD_TOO_LARGE', what);
          }
        }
      });
      await expectServed(main);
    },
  },
  {
    id: 'T11-media-types',
    title: 'other media types and encodings',
    threats: ['11', '14'],
    aisvs: [],
    attack: 'The same body is sent as text, as a form, in other character sets, and compressed.',
    expected: '415 unsupported_media_type; no intent is made.',
    needs: ['agent'],
    async run({ main }) {
      const body = JSON.stringify({ action: main.action('media'), source_type: 'ai_agent' });
      await main.unchanged('other media types', { whole: false }, async () => {
        for (const path of PATHS) {
          for (const [type, more] of OTHER_MEDIA_TYPES) {
            const headers = { 'content-type': type, ...more };
            const answer = await main.call('POST', path, { key: main.agentKey, body, headers });
            expectRefused(surfaceOf(path), answer, 415, 'UNSUPPORTED_MEDIA_TYPE', JSON.stringify(headers));
          }
        }
      });
      check(!(await wasAsked(main, main.action('media'))), 'an intent was made of it');
      return `${OTHER_MEDIA_TYPES.length} types`;
    },
  },
  {
    id: 'T11-paths',
    title: 'odd paths and methods',
    threats: ['11', '1'],
    aisvs: [],
    attack:
      'Paths with dots, doubled slashes, escapes, capitals and thousands of letters; methods from headers.',
    expected:
      'No operation is carried out: 400, 403, 404 or 405, never 5xx; no header changes an address given out.',
    needs: ['agent', 'observer'],
    async run({ main, ofEachMode }) {
      // In test mode a secret key can do everything, so only the path keeps it out.
      const stage = ofEachMode.at(-1) ?? main;
      const refused = [400, 404, 405, 414, 431, ...(stage.mode === 'live' ? [403] : [])];
      const undecodable = ['%', '%zz', '%c0%af', '%ff'].map((id) => `/v1/intents/${id}`);
      const headers = {
        'x-http-method-override': 'POST',
        'x-http-method': 'POST',
        'x-method-override': 'POST',
      };
      await stage.unchanged('odd paths and methods', {}, async () => {
        for (const path of [...ODD_PATHS, ...undecodable, '/v1/projects/%e0%a4/audit']) {
          for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
            // A body for the operation to which a normalised path would lead.
            const body = method === 'POST' ? { action: main.action('path') } : undefined;
            const answer = await main.call(method, path, { key: stage.observer, body });
            expectStatus(answer, refused, `${method} ${path.slice(0, 60)}`);
          }
        }
        for (const method of METHODS) {
          for (const path of PATHS.slice(0, 2)) {
            const answer = await main.call(method, path, { key: stage.observer, headers });
            expectStatus(answer, [400, 404, 405], `${method} with a method in headers`);
          }
        }
      });
      const elsewhere = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'gopher',
        forwarded: 'host=evil.example',
        'x-original-url': '/api/intents',
        'x-rewrite-url': '/api/intents',
      };
      const options = { key: main.agentKey, headers: elsewhere };
      const body = { action: main.action('host'), expires_in: 60 };
      const made = expectDone(await main.call('POST', '/v1/intents', { ...options, body }), 'asking');
      const address = `${main.origin}/approve/${idOf(made)}`;
      check(made.body.approval_url === address, 'a header changes the address that is given out', made);
      const read = await main.call('GET', `${main.root}/public-key`, options);
      check(!read.text.includes('evil.example'), 'a header is repeated', read);
    },
  },
  {
    id: 'T11-smuggled',
    title: 'two requests where one is meant',
    threats: ['11', '10'],
    aisvs: [],
    attack:
      'A second request is hidden in the body of a first, by lengths and encodings that two readers read differently.',
    expected: '400 or 501, and the hidden request is never carried out.',
    needs: ['agent', 'verifier'],
    async run({ main, raw, inside }) {
      const action = main.action('smuggled');
      const rows = JSON.stringify(inside?.rows());
      const hidden = rawRequest(main, JSON.stringify({ action }));
      for (const [what, rest, expected = 400] of SMUGGLED_REQUESTS) {
        const head = [
          'POST /v1/permits/validate HTTP/1.1',
          `Host: ${main.client.target.host}`,
          `Authorization: Bearer ${main.verifierKey}`,
          'Content-Type: application/json',
        ];
        const sent = [...head, ...rest(hidden)].join('\r\n');
        const { text } = await raw.exchange(sent, {
          enough: (received) => /\}$/.test(received),
          patienceMs: 5000,
        });
        const [status] = statusesIn(text);
        // For an unknown coding, Node's parser or the gate may answer first. Outside, a proxy in front of the gate may
        // close the connection.
        const either = what.includes('nobody knows') || !inside ? [expected, 501] : [expected];
        const isRefused = status === undefined ? !inside : either.includes(status);
        check(isRefused, `${what}: answered with ${status}`);
        check(statusesIn(text).length <= 1, `${what}: ${statusesIn(text).length} answers to one request`);
      }
      for (const host of [main.client.target.host, 'evil.example']) {
        const two = hidden.replace('\r\n', `\r\nHost: ${host}\r\n`);
        const { text } = await raw.exchange(two, {
          enough: (received) => /\}$/.test(received),
          patienceMs: 5000,
        });
        const [status] = statusesIn(text);
        check(status === undefined ? !inside : status === 400, `two hosts: answered with ${status}`);
        check(
          status === undefined || text.includes('"invalid_request"'),
          'two hosts: refused as another thing',
        );
      }
      check(!(await wasAsked(main, action)), 'the hidden request was carried out');
      check(JSON.stringify(inside?.rows()) === rows, 'something was changed');
      return `${SMUGGLED_REQUESTS.length} ways`;
    },
  },
  {
    id: 'T11-idle',
    title: '500 connections that say nothing',
    threats: ['11'],
    aisvs: [],
    attack: 'Connections are opened, and half a request is sent over each, while somebody else asks.',
    expected: 'Others are served.',
    needs: ['agent'],
    async run({ main, raw, inside }) {
      const count = inside ? 2000 : 500;
      const sockets = await Promise.all(Array.from({ length: count }, () => raw.open()));
      const times: number[] = [];
      try {
        for (const [index, socket] of sockets.entries())
          if (index % 2 === 0) socket.write('POST /v1/intents HTTP/1.1\r\nHost: x\r\n');
        for (let i = 0; i < 20; i += 1) {
          const startedAt = performance.now();
          await expectServed(main);
          times.push(performance.now() - startedAt);
        }
      } finally {
        for (const socket of sockets) socket.destroy();
      }
      await expectServed(main);
      return `slowest of 20 requests beside them: ${Math.max(...times).toFixed(0)} ms`;
    },
  },
  {
    id: 'T11-stalled',
    title: 'bodies and headers that never end',
    threats: ['11'],
    aisvs: ['9.1.1'],
    attack: 'A body stalls, a body trickles in byte by byte, and headers never end.',
    expected: '408 request_timeout and a closed connection; no intent is made; others are served.',
    needs: ['agent'],
    when: 'slow',
    async run({ main, raw }) {
      const action = main.action('stalled');
      const half = JSON.stringify({ action, metadata: { text: 'x'.repeat(400) } });
      const whole = rawRequest(main, half);
      const trickled = async (start: string, drop: string) => {
        const socket = await raw.open();
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        socket.write(start);
        const trickle = setInterval(() => socket.write(drop), 500);
        const giveUp = setTimeout(() => socket.destroy(), LONGEST_ARRIVAL_MS);
        const startedAt = performance.now();
        await new Promise((resolve) => socket.once('close', resolve));
        clearInterval(trickle);
        clearTimeout(giveUp);
        return { text, seconds: (performance.now() - startedAt) / 1000 };
      };
      const [stalled, body, head] = await Promise.all([
        Promise.all(
          PATHS.slice(0, 2).map((path) =>
            raw.exchange(rawRequest(main, half, path).slice(0, -5), { patienceMs: LONGEST_ARRIVAL_MS }),
          ),
        ),
        trickled(whole.slice(0, -300), ' '),
        trickled('POST /v1/intents HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'),
        expectServed(main),
      ]);
      for (const [what, text] of [
        ...stalled.map(({ text }) => ['a body that stalls', text] as const),
        ['a body that trickles in', body.text],
        ['headers that never end', head.text],
      ] as const)
        check(
          statusesIn(text)[0] === 408,
          `${what}: ${statusesIn(text)[0] ?? 'no answer'} after ${LONGEST_ARRIVAL_MS / 1000} s or less`,
        );
      for (const { text } of stalled) {
        check(/"code":"request_timeout"/i.test(text), `it is told ${text.slice(-200)}`);
        check(/^connection: close/im.test(text), 'the connection stays open');
      }
      check(!(await wasAsked(main, action)), 'an intent was made of half a body');
      return `let go after ${body.seconds.toFixed(0)} s (body) and ${head.seconds.toFixed(0)} s (headers)`;
    },
  },
];

function hungUp(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return undefined;
  throw error;
}
