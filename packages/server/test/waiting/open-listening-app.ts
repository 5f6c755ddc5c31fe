/** The whole HTTP app on a free port, and clients that keep their connections. */
import { Agent, type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export interface ListeningApp extends TestApp {
  url: string;
  /** Sends a GET request over a real connection. */
  get(path: string, key?: string): Promise<Answer>;
  /** Like `get`, for a client that closes the connection before the answer. */
  start(path: string, key?: string): ClientRequest;
  /** Resolves when this many reads are waiting. */
  untilWaiting(count: number): Promise<void>;
}

export async function openListeningApp(): Promise<ListeningApp> {
  const t = await openTestApp({ logLevel: 'silent' });
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(t.app.server.address() as AddressInfo).port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  function headersOf(key: string) {
    return { authorization: `Bearer ${key}` };
  }
  return {
    ...t,
    url,
    get: (path, key = t.first.secret_key) => getJson(`${url}${path}`, agent, headersOf(key)),
    start(path, key = t.first.secret_key) {
      const started = request(`${url}${path}`, { agent, headers: headersOf(key) });
      // The test cuts this connection and does not need its error.
      started.on('error', () => {});
      started.end();
      return started;
    },
    async untilWaiting(count) {
      while (t.wakeups.waiting !== count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async close() {
      agent.destroy();
      await t.close();
    },
  };
}

export function getJson(url: string, agent: Agent, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}
