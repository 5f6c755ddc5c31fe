/** Threat 15: a target that people configure never leads the gate into its own network. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Outgoing, type OutgoingError } from '../../src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../src/outgoing/outgoing-addresses.ts';

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

/** With a time limit that even a slow machine does not reach. */
const open = (options: Partial<ConstructorParameters<typeof Outgoing>[0]> = {}): Outgoing =>
  new Outgoing({ allowedPrivate: [], timeoutMs: 600_000, ...options });
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
  it.each(PRIVATE)('at %s is refused when it is configured and when something is sent', async (address) => {
    const host = address.includes(':') ? `[${address}]` : address;
    expect(open().findProblem(`https://${host}/hook`)).toBe('Must not lead into a private network.');
    expect(await refusalOf(open(), `https://${host}/hook`)).toBe('refused');
  });

  it.each(PRIVATE)('whose name resolves to %s is refused on connecting', async (address) => {
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
  ])('written as %s is recognised as private', async (url) => {
    expect(open().findProblem(url)).toBe('Must not lead into a private network.');
    expect(await refusalOf(open(), url)).toBe('refused');
  });

  it.each([
    ['http://hooks.example.com/x', 'Must begin with https://.'],
    ['http://8.8.8.8/', 'Must begin with https://.'],
    ['https://user:password@hooks.example.com/', 'Must not contain a user name or a password.'],
    ['ftp://hooks.example.com/', 'Must be a URL that begins with https://.'],
    ['file:///etc/passwd', 'Must be a URL that begins with https://.'],
    ['gopher://hooks.example.com/', 'Must be a URL that begins with https://.'],
    ['hooks.example.com', 'Must be a URL that begins with https://.'],
    ['', 'Must be a URL that begins with https://.'],
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

describe('a host name', () => {
  it('that resolves to a public and a private address is refused, without a fallback to either', async () => {
    const { port, asked } = await listen((_, response) => response.end());
    const outgoing = open({ resolve: async () => ['203.0.114.7', '127.0.0.1'] });
    expect(await refusalOf(outgoing, `https://hooks.example.com:${port}/`)).toBe('refused');
    expect(asked).toEqual([]);
  });

  it('is resolved once per connection, and refused as soon as it resolves to a private address', async () => {
    const { port, asked } = await listen((_, response) => response.end());
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']];
    let lookups = 0;
    // 127.0.0.1 is allowed and represents the public address. 127.0.0.2 represents the private address behind the same
    // name.
    const outgoing = open({
      allowedPrivate: loopback,
      resolve: async () => answers[lookups++] ?? [],
    });
    // Plain HTTP is allowed only to a listed address, and a name is not an address. So the gate speaks TLS to a server
    // that does not.
    expect(await refusalOf(outgoing, `https://hooks.example.com:${port}/`)).toBe('unreachable');
    expect(lookups).toBe(1);
    expect(await refusalOf(outgoing, `https://hooks.example.com:${port}/`)).toBe('refused');
    expect(lookups).toBe(2);
    expect(asked).toEqual([]);
  });

  it('that resolves to nothing is unreachable', async () => {
    expect(await refusalOf(open({ resolve: async () => [] }), 'https://hooks.example.com/')).toBe(
      'unreachable',
    );
  });
});

describe('a private range that the operator allows', () => {
  it('can be reached, even without TLS, and addresses outside it cannot', async () => {
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

  it('includes its addresses when they are written as IPv6', async () => {
    expect(open({ allowedPrivate: loopback }).findProblem('http://[::ffff:127.0.0.1]:8080/')).toBeUndefined();
    expect(open({ allowedPrivate: loopback }).findProblem('http://[::1]:8080/')).toContain(
      'Must begin with https://',
    );
  });

  it('can be reached through an internal name, which cannot lead to other private addresses', async () => {
    const { port, asked } = await listen((_, response) => response.end());
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const outgoing = open({ allowedPrivate: loopback, resolve: async () => answers.shift() ?? [] });
    const url = `https://hooks.corp.internal:${port}/`;
    expect(outgoing.findProblem(url)).toBeUndefined();
    // The gate speaks TLS to a server that does not, so `unreachable` means that the server was reached.
    expect(await refusalOf(outgoing, url)).toBe('unreachable');
    expect(await refusalOf(outgoing, url)).toBe('refused');
    expect(asked).toEqual([]);
  });

  it('is mentioned in the error for a target without TLS that it does not contain', () => {
    const problem =
      'Must begin with https://. Only a numeric address in PERMITRY_ALLOW_PRIVATE_TARGETS may use http://.';
    for (const url of ['http://localhost:9000/', 'http://127.0.0.1:9000/', 'http://hooks.corp.internal/'])
      expect(open().findProblem(url)).toBe(problem);
    expect(open({ allowedPrivate: loopback }).findProblem('http://localhost:9000/')).toBe(problem);
  });

  it.each(['127.1', '0x7f000001', '10.0.0.0/33', 'example.org', '', '10.0.0.0/8,', '10.0.0.0/'])(
    'cannot be written as %j',
    (text) => {
      expect(() => readAddressRanges(text)).toThrow('must be addresses and ranges');
    },
  );
});

describe('a kept connection', () => {
  /** Records the connection of each request, counted from 1. */
  async function listenAndCount(answer: (connection: number, count: number) => 'answer' | 'reset') {
    const sockets: unknown[] = [];
    const came: number[] = [];
    const { port } = await listen((request, response) => {
      if (!sockets.includes(request.socket)) sockets.push(request.socket);
      const connection = sockets.indexOf(request.socket) + 1;
      came.push(connection);
      const count = came.filter((other) => other === connection).length;
      if (answer(connection, count) === 'reset') request.socket.resetAndDestroy();
      else request.resume().on('end', () => response.end('taken'));
    });
    return { url: `http://127.0.0.1:${port}/`, came };
  }
  const keeping = () => open({ allowedPrivate: loopback, keepsConnections: true, connectTimeoutMs: 60_000 });
  const post = async (outgoing: Outgoing, url: string) =>
    (await outgoing.post({ url, headers: {}, body: '{}' })).body.toString();

  it('is reused, but not by a client that does not keep connections', async () => {
    const { url, came } = await listenAndCount(() => 'answer');
    const outgoing = keeping();
    for (let n = 0; n < 3; n += 1) expect(await post(outgoing, url)).toBe('taken');
    expect(came).toEqual([1, 1, 1]);
    const other = open({ allowedPrivate: loopback });
    for (let n = 0; n < 2; n += 1) expect(await post(other, url)).toBe('taken');
    expect(came).toEqual([1, 1, 1, 2, 3]);
    outgoing.close();
  });

  it('that the other side has just closed is replaced by a new one, once', async () => {
    const { url, came } = await listenAndCount((connection, count) =>
      connection < 3 && count === 2 ? 'reset' : 'answer',
    );
    const outgoing = keeping();
    expect(await post(outgoing, url)).toBe('taken');
    expect(await post(outgoing, url)).toBe('taken');
    expect(came).toEqual([1, 1, 2]);
    outgoing.close();
  });

  it('is not replaced if its first request fails', async () => {
    const { url, came } = await listenAndCount(() => 'reset');
    const outgoing = keeping();
    expect(await refusalOf(outgoing, url)).toBe('unreachable');
    expect(came).toEqual([1]);
    outgoing.close();
  });

  it('gets as much time for an answer as a new connection', async () => {
    const { port } = await listen((request, response) => {
      request.resume().on('end', () => {
        // Twice as long as connecting may take.
        vi.advanceTimersByTime(120_000);
        response.end('late');
      });
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const outgoing = keeping();
    for (let n = 0; n < 2; n += 1) expect(await post(outgoing, `http://127.0.0.1:${port}/`)).toBe('late');
    outgoing.close();
  });

  it('is closed when its client is closed', async () => {
    const { url } = await listenAndCount(() => 'answer');
    const outgoing = keeping();
    await post(outgoing, url);
    outgoing.close();
    const [server] = servers;
    // If a connection were left open, this would never resolve.
    await new Promise((done) => server?.close(done));
    servers.splice(0);
  });
});

describe('an answer', () => {
  it('that redirects is returned, and not followed', async () => {
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

  it('that never ends is read only up to the size limit', async () => {
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

  it('whose body drips is returned as received when the time limit is reached', async () => {
    const { port } = await listen((_, response) => response.writeHead(200).write('so far'));
    const outgoing = open({ allowedPrivate: loopback, mostAnswerMs: 50 });
    const answer = await outgoing.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '' });
    expect([answer.status, answer.body.toString()]).toEqual([200, 'so far']);
    for (const server of servers) server.closeAllConnections();
  });

  it('is not awaited longer than the connect timeout if the server accepts the connection but speaks no TLS', async () => {
    const silent = createTcpServer(() => {});
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as AddressInfo;
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    const outgoing = open({ allowedPrivate: loopback, connectTimeoutMs: 50 });
    const refused = outgoing.post({ url: `https://127.0.0.1:${port}/`, headers: {}, body: '' });
    await expect(refused).rejects.toMatchObject({
      reason: 'timeout',
      message: 'The connection was not established in time.',
    });
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => silent.close(done));
  });

  it('may take longer than the connect timeout', async () => {
    const { port } = await listen((_, response) => {
      // The connection exists. A timer that still limited connecting would fire now.
      vi.advanceTimersByTime(60_000);
      response.end('late');
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const outgoing = open({ allowedPrivate: loopback, connectTimeoutMs: 1000 });
    const answer = await outgoing.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '' });
    expect(answer.body.toString()).toBe('late');
  });

  it('that is announced over and over is given up', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      const announce = () => {
        while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
        socket.once('drain', announce);
      };
      socket.once('data', announce);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const outgoing = open({ allowedPrivate: loopback });
    expect(await refusalOf(outgoing, `http://127.0.0.1:${port}/`)).toBe('unreachable');
    await new Promise((done) => server.close(done));
  });

  it('that switches to another protocol unasked is returned without waiting for more', async () => {
    const server = createTcpServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const outgoing = open({ allowedPrivate: loopback });
    const { status } = await outgoing.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' });
    expect(status).toBe(101);
    await new Promise((done) => server.close(done));
  });

  it('that does not arrive, or stops halfway, is a timeout that does not name the target', async () => {
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
