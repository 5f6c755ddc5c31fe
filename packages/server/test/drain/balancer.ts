/** A minimal load balancer: it reads /readyz, sends each request to a gate that is ready, and never retries. */
import { Agent, request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { repeatedly } from '../../src/gate/kernel/repeatedly.ts';

export interface Balancer {
  url: string;
  /** Requests that were cut off, or could not be forwarded. */
  broken: string[];
  add(gateUrl: string): void;
  /** How many gates the balancer considers ready. */
  readonly ready: number;
  close(): Promise<void>;
}

const POLL_EVERY_MS = 20;

export async function openBalancer(): Promise<Balancer> {
  const gates = new Map<string, boolean>();
  const broken: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  let turn = 0;

  async function poll(): Promise<void> {
    for (const gate of gates.keys()) {
      const answer = await fetch(`${gate}/readyz`).catch(() => null);
      await answer?.text();
      if (gates.has(gate)) gates.set(gate, answer?.status === 200);
    }
  }

  const server: Server = createServer((request, response) => {
    const ready = [...gates].filter(([, isReady]) => isReady).map(([gate]) => gate);
    turn += 1;
    const gate = ready[turn % ready.length];
    const what = `${request.method} ${request.url}`;
    if (gate === undefined) {
      broken.push(`${what}: no gate is ready`);
      response.writeHead(502).end();
      return;
    }
    const { connection: _, host: __, ...headers } = request.headers;
    const handed = ask(`${gate}${request.url}`, { method: request.method, headers, agent }, (answer) => {
      const { connection: ___, 'keep-alive': ____, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, rest);
      answer.on('aborted', () => broken.push(`${what}: cut off in its answer`));
      answer.pipe(response);
    });
    handed.on('error', (error) => {
      if (response.destroyed) return;
      broken.push(`${what}: ${error.message}`);
      response.destroy();
    });
    response.on('close', () => {
      if (!response.writableFinished) handed.destroy();
    });
    request.pipe(handed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stopPolling = repeatedly(POLL_EVERY_MS, poll, (error) => broken.push(String(error)));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    broken,
    add: (gate) => gates.set(gate, false),
    get ready() {
      return [...gates.values()].filter(Boolean).length;
    },
    async close() {
      await stopPolling();
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
