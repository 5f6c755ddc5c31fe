/** Threat 15: what people name as a target never leads into the network the gate stands in. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Outgoing, type OutgoingError } from '../../src/delivery/outgoing.ts';
import { readAddressRanges } from '../../src/delivery/outgoing-addresses.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done)))));

/** A server on this machine: exactly what an attacker wants the gate to reach. */
async function listen(listener: RequestListener): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { port: (server.address() as AddressInfo).port, asked };
}

const open = (options: Partial<ConstructorParameters<typeof Outgoing>[0]> = {}): Outgoing =>
  new Outgoing({ allowedPrivate: [], ...options });
const loopback = readAddressRanges('127.0.0.1');

async function refusalOf(outgoing: Outgoing, url: string): Promise<OutgoingError['reason']> {
  return outgoing.post({ url, headers: {}, body: '{}' }).then(
    ({ status }) => expect.unreachable(`it answered ${status}`),
    (error: OutgoingError) => error.reason,
  );
}

const PRIVATE = [
  '127.0.0.1',
  '127.8.9.10',
  '10.0.0.5',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '3fff::1',
  '4000::1',
  '100::1',
];

describe('a target', () => {
  it.each(PRIVATE)('at %s is refused when it is set and when something is sent', async (address) => {
    const host = address.includes(':') ? `[${address}]` : address;
    expect(open().findProblem(`https://${host}/hook`)).toBe('Must not lead into a private network.');
    expect(await refusalOf(open(), `https://${host}/hook`)).toBe('refused');
  });

  it.each(PRIVATE)('whose name resolves to %s is refused at the moment of connecting', async (address) => {
    const outgoing = open({ resolve: async () => [address] });
    expect(outgoing.findProblem('https://hooks.example.com/x')).toBeUndefined();
    expect(await refusalOf(outgoing, 'https://hooks.example.com/x')).toBe('refused');
  });

  it.each([
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://①②⑦.⓪.⓪.①/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://hooks.localhost/',
    'https://metadata.google.internal/computeMetadata/v1/',
  ])('written as %s is the private one it is', async (url) => {
    expect(open().findProblem(url)).toBe('Must not lead into a private network.');
    expect(await refusalOf(open(), url)).toBe('refused');
  });

  it.each([
    ['http://hooks.example.com/x', 'Must begin with https://.'],
    ['http://8.8.8.8/', 'Must begin with https://.'],
    ['https://user:password@hooks.example.com/', 'Must not hold a user name or a password.'],
    ['ftp://hooks.example.com/', 'Must be a URL with https://.'],
    ['file:///etc/passwd', 'Must be a URL with https://.'],
    ['gopher://hooks.example.com/', 'Must be a URL with https://.'],
    ['hooks.example.com', 'Must be a URL with https://.'],
    ['', 'Must be a URL with https://.'],
  ])('%s is refused', async (url, problem) => {
    expect(open().findProblem(url)).toBe(problem);
    expect(await refusalOf(open(), url)).toBe('refused');
  });

  it.each(['https://8.8.8.8/', 'https://[2606:4700::1111]/', 'https://hooks.slack.com/services/T/B/x'])(
    '%s is accepted',
    (url) => {
      expect(open().findProblem(url)).toBeUndefined();
    },
  );
});

describe('a name that resolves', () => {
  it('to a public and a private address is refused: no fallback leads inside', async () => {
    const { port, asked } = await listen((_, response) => response.end());
    const outgoing = open({ resolve: async () => ['203.0.114.7', '127.0.0.1'] });
    expect(await refusalOf(outgoing, `https://hooks.example.com:${port}/`)).toBe('refused');
    expect(asked).toEqual([]);
  });

  it('elsewhere when it is asked again is asked once for each connection, and refused then', async () => {
    const { port, asked } = await listen((_, response) => response.end());
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']];
    let lookups = 0;
    // 127.0.0.1 is allowed here and stands for the public address; 127.0.0.2 for the one behind it.
    const outgoing = open({
      allowedPrivate: loopback,
      resolve: async () => answers[lookups++] ?? [],
    });
    // In clear only to a listed address; a name is none, so TLS is spoken to a server that speaks none.
    expect(await refusalOf(outgoing, `https://hooks.example.com:${port}/`)).toBe('unreachable');
    expect(lookups).toBe(1);
    expect(await refusalOf(outgoing, `https://hooks.example.com:${port}/`)).toBe('refused');
    expect(lookups).toBe(2);
    expect(asked).toEqual([]);
  });

  it('to nothing is unreachable', async () => {
    expect(await refusalOf(open({ resolve: async () => [] }), 'https://hooks.example.com/')).toBe(
      'unreachable',
    );
  });
});

describe('a range that the operator allowed', () => {
  it('is reached, in clear as well, and nothing beside it', async () => {
    const { port, asked } = await listen((request, response) => {
      response.writeHead(200, { 'x-kind': request.headers['content-type'] });
      request.pipe(response);
    });
    const outgoing = open({ allowedPrivate: loopback });
    const answer = await outgoing.post({
      url: `http://127.0.0.1:${port}/hook`,
      headers: { 'content-type': 'application/json' },
      body: '{"text":"é"}',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-kind']).toBe('application/json');
    expect(answer.body.toString()).toBe('{"text":"é"}');
    expect(asked).toEqual(['/hook']);
    expect(await refusalOf(outgoing, `http://127.0.0.2:${port}/hook`)).toBe('refused');
    expect(await refusalOf(outgoing, 'https://10.0.0.1/')).toBe('refused');
  });

  it('holds an address that is written as IPv6 too', async () => {
    expect(open({ allowedPrivate: loopback }).findProblem('http://[::ffff:127.0.0.1]:8080/')).toBeUndefined();
    expect(open({ allowedPrivate: loopback }).findProblem('http://[::1]:8080/')).toBe(
      'Must begin with https://.',
    );
  });

  it.each(['127.1', '0x7f000001', '10.0.0.0/33', 'example.org', '', '10.0.0.0/8,', '10.0.0.0/'])(
    '%j is not one',
    (text) => {
      expect(() => readAddressRanges(text)).toThrow('must be addresses and ranges');
    },
  );
});

describe('an answer', () => {
  it('that redirects is handed over, and not followed', async () => {
    const inner = await listen((_, response) => response.end('secret'));
    const { port } = await listen((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${inner.port}/` }).end();
    });
    const answer = await open({ allowedPrivate: loopback }).post({
      url: `http://127.0.0.1:${port}/`,
      headers: {},
      body: '',
    });
    expect(answer.status).toBe(307);
    expect(inner.asked).toEqual([]);
  });

  it('that never ends is read as far as the limit', async () => {
    const { port } = await listen((_, response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
    });
    const outgoing = open({ allowedPrivate: loopback, mostAnswerBytes: 1000 });
    const answer = await outgoing.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '' });
    expect(answer.body.length).toBe(1000);
  });

  it('that does not come, or stops halfway, is a time-out that names no target', async () => {
    const { port } = await listen((request, response) => {
      if (request.url === '/halfway') response.writeHead(200).write('x');
    });
    const outgoing = open({ allowedPrivate: loopback, timeoutMs: 100 });
    for (const path of ['never', 'halfway']) {
      const error = await outgoing
        .post({ url: `http://127.0.0.1:${port}/${path}?token=s3cret`, headers: {}, body: '' })
        .catch((caught: OutgoingError) => caught);
      expect(error).toMatchObject({ name: 'OutgoingError', reason: 'timeout' });
      expect((error as Error).message).not.toMatch(/s3cret|127/);
    }
    for (const server of servers) server.closeAllConnections();
  });
});
