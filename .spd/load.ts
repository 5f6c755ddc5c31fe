/**
 * Load: prepared requests over a fixed number of keep-alive connections, one under way on each.
 *
 * A client of our own because the usual ones need more CPU for a request than the bare floor server does, and would
 * then be what is measured.
 */
import { connect, type Socket } from 'node:net';

export interface Prepared {
  method: 'GET' | 'POST';
  path: string;
  /** Bearer credential. */
  key?: string;
  body?: string;
}

export interface LoadResult {
  /** Requests per second. */
  rate: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** In the order of the requests. */
  bodies: string[];
}

const HEAD_END = Buffer.from('\r\n\r\n');

function toBytes({ method, path, key, body }: Prepared): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost'];
  if (key !== undefined) lines.push(`authorization: Bearer ${key}`);
  if (body !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** Sends every request once and checks every status. `keep`: whether the bodies of the answers are wanted. */
export async function runLoad(
  port: number,
  requests: readonly Prepared[],
  expected: number,
  { connections = 64, keep = false }: { connections?: number; keep?: boolean } = {},
): Promise<LoadResult> {
  const bytes = requests.map(toBytes);
  const bodies: string[] = keep ? new Array<string>(requests.length) : [];
  const latencies = new Float64Array(requests.length);
  let next = 0;

  async function work(): Promise<void> {
    const socket = await open(port);
    while (next < bytes.length) {
      const index = next;
      next += 1;
      const before = performance.now();
      const answer = await exchange(socket, bytes[index] ?? Buffer.alloc(0));
      latencies[index] = performance.now() - before;
      if (answer.status !== expected) {
        throw new Error(
          `${requests[index]?.path} answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`,
        );
      }
      if (keep) bodies[index] = answer.body.toString();
    }
    socket.destroy();
  }

  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - started) / 1000;
  latencies.sort();
  return {
    rate: requests.length / seconds,
    seconds,
    p50: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    bodies,
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** One request and its answer, which must carry a Content-Length. */
function exchange(socket: Socket, request: Buffer): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    let received: Buffer | undefined;
    const onData = (chunk: Buffer): void => {
      received = received ? Buffer.concat([received, chunk]) : chunk;
      const headEnd = received.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = received.toString('latin1', 0, headEnd);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      const bodyStart = headEnd + HEAD_END.length;
      if (received.length < bodyStart + length) return;
      socket.off('data', onData);
      socket.off('close', onClose);
      resolve({ status: Number(head.slice(9, 12)), body: received.subarray(bodyStart, bodyStart + length) });
    };
    const onClose = (): void => reject(new Error('the server closed the connection'));
    socket.on('data', onData);
    socket.once('close', onClose);
    socket.write(request);
  });
}
