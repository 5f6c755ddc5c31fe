import { Agent, request } from 'node:http';
import { createBody } from '../workload.ts';

export interface Latencies {
  count: number;
  /** Milliseconds from the moment a request was due to its complete answer. */
  p50: number;
  p99: number;
  max: number;
}

const EVERY_MS = 1;

/**
 * Creates intents at a fixed rate, whether or not earlier ones are answered, so that a pause of the gate shows.
 *
 * @param until Ends the creation when it resolves.
 */
export async function createAtPace(
  port: number,
  key: string,
  perSecond: number,
  until: Promise<unknown>,
): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const latencies: number[] = [];
  const failures: unknown[] = [];
  let ended = false;
  void until.then(
    () => {
      ended = true;
    },
    () => {
      ended = true;
    },
  );
  const started = performance.now();
  let sent = 0;
  let open = 0;
  while (!ended || open > 0) {
    const due = ended ? sent : Math.floor(((performance.now() - started) * perSecond) / 1000);
    for (; sent < due; sent += 1) {
      const dueAt = started + (sent * 1000) / perSecond;
      open += 1;
      create(agent, port, key, sent)
        .then(
          () => latencies.push(performance.now() - dueAt),
          (error) => failures.push(error),
        )
        .finally(() => {
          open -= 1;
        });
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  agent.destroy();
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} creates failed`);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { count: latencies.length, p50: at(0.5), p99: at(0.99), max: latencies.at(-1) ?? 0 };
}

function create(agent: Agent, port: number, key: string, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const body = createBody(index);
    const asked = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        path: '/v1/intents',
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 201 ? resolve() : reject(new Error(`answered ${response.statusCode}`)),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
