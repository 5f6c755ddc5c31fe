/** The time from a decision until a waiting agent learns about it. */
import { Agent, request } from 'node:http';
import { createBody } from '../workload.ts';

export interface WaitingLatency {
  p50: number;
  p99: number;
  count: number;
}

export interface Waiting {
  /** `waitingPort`: where agents wait. `decidingPort`: where people decide. */
  waitingPort: number;
  decidingPort: number;
  agentKey: string;
  secretKey: string;
  count: number;
}

/** Number of agents that wait at the same time. */
const AT_ONCE = 25;
const SETTLE_MS = 100;

export async function measureWaiting(what: Waiting): Promise<WaitingLatency> {
  const http = new Agent({ keepAlive: true, maxSockets: 2 * AT_ONCE });
  const call = callWith(http);
  const latencies: number[] = [];
  while (latencies.length < what.count) {
    const made = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        call(what.waitingPort, 'POST', '/v1/intents', what.agentKey, createBody(n)),
      ),
    );
    const decidedAt = new Map<string, number>();
    const waits = made.map(async ({ id }) => {
      const { status } = await call(what.waitingPort, 'GET', `/v1/intents/${id}?wait=30`, what.agentKey);
      if (status !== 'approved') throw new Error(`a waiting agent got the answer ${status}`);
      latencies.push(performance.now() - (decidedAt.get(id) ?? Number.NaN));
    });
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    for (const { id } of made) {
      decidedAt.set(id, performance.now());
      await call(what.decidingPort, 'POST', `/v1/intents/${id}/approve`, what.secretKey, '{}');
    }
    await Promise.all(waits);
  }
  http.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), count: latencies.length };
}

interface IntentAnswer {
  id: string;
  status: string;
}

function callWith(agent: Agent) {
  return (port: number, method: string, path: string, key: string, body?: string): Promise<IntentAnswer> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      };
      const asked = request({ agent, host: '127.0.0.1', port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if ((answer.statusCode ?? 500) >= 300) reject(new Error(`${method} ${path}: ${text}`));
          else resolve(JSON.parse(text) as IntentAnswer);
        });
      });
      asked.on('error', reject);
      asked.end(body);
    });
}
