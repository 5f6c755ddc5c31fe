/** A real HTTP server on this machine that accepts webhooks, or misbehaves as endpoints do. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  /** As it came. */
  text: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
}

export type Behaviour = (response: ServerResponse, socket: Socket, webhook: ReceivedWebhook) => void;

export interface WebhookReceiver {
  /** The server accepts webhooks at every path below this URL. */
  url: string;
  received: ReceivedWebhook[];
  /** By path. Default: answers with 204. */
  behaviours: Map<string, Behaviour>;
  /** The received webhooks of one path. */
  at(path: string): ReceivedWebhook[];
  close(): Promise<void>;
}

export const answers =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);
export const hangs: Behaviour = () => {};
export const resets: Behaviour = (_, socket) => socket.resetAndDestroy();
/** Sends the head of an answer, and then a byte now and then, forever. */
export const drips =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status).write('.');
    const timer = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(timer));
  };
/** Sends a body without end. */
export const floods =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status);
    const chunk = Buffer.alloc(65_536, 'x');
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', pour);
    response.on('error', () => {});
    pour();
  };

export async function receiveWebhooks(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const behaviours: WebhookReceiver['behaviours'] = new Map();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const path = request.url ?? '';
      const webhook = { path, headers: request.headers, text, body: JSON.parse(text) };
      received.push(webhook);
      (behaviours.get(path) ?? answers(204))(response, request.socket, webhook);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    behaviours,
    at: (path) => received.filter((webhook) => webhook.path === path),
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
