/** A proxy in front of a sound gate that breaks one of its promises, which the attacks must notice. */
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';

export interface Passing {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Answers a request, mostly with the gate's answer to this request or to another one. */
export type Flaw = (request: Passing, gate: (request: Passing) => Promise<Answered>) => Promise<Answered>;

export interface BrokenGate {
  url: URL;
  close(): Promise<void>;
}

export async function breakGate(target: URL, flaw: Flaw): Promise<BrokenGate> {
  async function answerTo(passing: Passing): Promise<Answered> {
    try {
      return await flaw(passing, (changed) => forward(target, changed));
    } catch (error) {
      return { status: 502, headers: {}, body: Buffer.from(String(error)) };
    }
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = '', url: path = '', headers } = request;
      const passing = { method, path, headers, body: Buffer.concat(chunks) };
      const answer = await answerTo(passing);
      const { 'transfer-encoding': _encoding, connection: _connection, ...rest } = answer.headers;
      response.writeHead(answer.status, { ...rest, 'content-length': answer.body.length });
      response.end(answer.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The same for connections below HTTP: instead of the gate, `answer` may answer the first bytes. */
export async function breakConnections(
  target: URL,
  { answer = () => undefined, most }: { answer?: (firstBytes: string) => string | undefined; most?: number },
): Promise<BrokenGate> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (first: Buffer) => {
      const own = answer(first.toString('latin1'));
      if (own !== undefined) {
        socket.end(own);
        return;
      }
      const gate = connect(Number(target.port), target.hostname);
      sockets.add(gate);
      gate.on('error', () => socket.destroy());
      gate.write(first);
      socket.pipe(gate).pipe(socket);
    });
  });
  if (most !== undefined) server.maxConnections = most;
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(target: URL, { method, path, headers, body }: Passing): Promise<Answered> {
  const {
    'transfer-encoding': _encoding,
    'content-length': _length,
    connection: _connection,
    ...rest
  } = headers;
  return new Promise((resolve, reject) => {
    const request = send(
      {
        host: target.hostname,
        port: target.port,
        method,
        path,
        headers: { ...rest, ...(body.length > 0 ? { 'content-length': body.length } : {}) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
