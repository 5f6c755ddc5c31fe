/** A real HTTP server on this machine that keeps what it receives: stands in for a chat hook or a push service. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPost {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface PostReceiver {
  /** The server accepts every path below this URL. */
  url: string;
  received: ReceivedPost[];
  /** Later answers by path; default: 201. */
  answers: Map<string, { status: number; headers?: Record<string, string> } | 'nothing'>;
  /** Disconnects clients that wait for an answer. */
  hangUp(): void;
  close(): Promise<void>;
}

export async function receivePosts(): Promise<PostReceiver> {
  const received: ReceivedPost[] = [];
  const answers: PostReceiver['answers'] = new Map();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = request.url ?? '';
      received.push({ path, headers: request.headers, body: Buffer.concat(parts) });
      const answer = answers.get(path) ?? { status: 201 };
      if (answer !== 'nothing') response.writeHead(answer.status, answer.headers).end('ok');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    hangUp: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
