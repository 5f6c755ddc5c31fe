/**
 * The load: prepared requests over a fixed number of keep-alive connections, one at a time on each.
 *
 * This is a client of our own, because the usual clients need more CPU per request than the bare floor server. The
 * measurement would then be of the client. The load reports its share of a core, to show that it did not limit the
 * result.
 */
import { onAnswer, openConnection, type Prepared, toBytes } from './http-connection.ts';

export interface LoadResult {
  /** Requests per second. */
  rate: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Share of its own core that the load used, from 0 to 1. Near 1, the load limited the result. */
  busy: number;
  /** In the order of the requests. */
  bodies: string[];
}

export interface LoadOptions {
  connections?: number;
  /** Whether to keep the bodies of the answers. */
  keep?: boolean;
}

/** Sends every request once and checks every status. Rejects at the first unexpected answer. */
export async function runLoad(
  port: number,
  requests: readonly Prepared[],
  expected: number,
  { connections = 64, keep = false }: LoadOptions = {},
): Promise<LoadResult> {
  if (requests.length === 0) return { rate: 0, seconds: 0, p50: 0, p99: 0, busy: 0, bodies: [] };
  const bytes = requests.map(toBytes);
  const bodies: string[] = keep ? new Array<string>(bytes.length) : [];
  const latencies = new Float64Array(bytes.length);
  const sockets = await Promise.all(
    Array.from({ length: Math.min(connections, bytes.length) }, () => openConnection(port)),
  );

  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  try {
    await new Promise<void>((resolve, reject) => {
      let next = 0;
      let answered = 0;
      for (const socket of sockets) {
        let index = 0;
        let sentAt = 0;
        const send = (): void => {
          const request = bytes[next];
          if (!request) return;
          index = next;
          next += 1;
          sentAt = performance.now();
          socket.write(request);
        };
        onAnswer(socket, (status, body) => {
          latencies[index] = performance.now() - sentAt;
          if (status !== expected) {
            const text = `${requests[index]?.path} answered ${status}: ${body.toString('utf8', 0, 500)}`;
            reject(new Error(text));
            return;
          }
          if (keep) bodies[index] = body.toString();
          answered += 1;
          if (answered === bytes.length) resolve();
          else send();
        });
        socket.once('close', () => reject(new Error('the server closed the connection')));
        socket.once('error', reject);
        send();
      }
    });
  } finally {
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  latencies.sort();
  return {
    rate: bytes.length / seconds,
    seconds,
    p50: latencies[Math.floor(bytes.length * 0.5)] ?? 0,
    p99: latencies[Math.floor(bytes.length * 0.99)] ?? 0,
    busy: (user + system) / 1e6 / seconds,
    bodies,
  };
}
