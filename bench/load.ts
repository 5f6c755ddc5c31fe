/**
 * Load: prepared requests over a fixed number of keep-alive connections, one under way on each.
 *
 * A client of our own because the usual ones need more CPU for a request than the bare floor server does, and would
 * then be what is measured. It tells how busy it was itself, so that one can see that it was not.
 */
import { connect, type Socket } from 'node:net';

export interface Prepared {
  method: 'GET' | 'POST';
  path: string;
  /** Bearer credential. */
  key?: string;
  idempotencyKey?: string;
  body?: string;
}

export interface LoadResult {
  /** Requests per second. */
  rate: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Share of its own core the load took, from 0 to 1. Near 1 the load is what was measured. */
  busy: number;
  /** In the order of the requests. */
  bodies: string[];
}

export interface LoadOptions {
  connections?: number;
  /** Whether the bodies of the answers are wanted. */
  keep?: boolean;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = Buffer.from('\r\ncontent-length: ');
const DIGIT_ZERO = 48;
const CARRIAGE_RETURN = 13;

function toBytes({ method, path, key, idempotencyKey, body }: Prepared): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost'];
  if (key !== undefined) lines.push(`authorization: Bearer ${key}`);
  if (idempotencyKey !== undefined) lines.push(`idempotency-key: ${idempotencyKey}`);
  if (body !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** Sends every request once and checks every status. Rejects at the first answer that was not expected. */
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
    Array.from({ length: Math.min(connections, bytes.length) }, () => open(port)),
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

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Calls back with every answer, each of which must carry a Content-Length. */
function onAnswer(socket: Socket, tell: (status: number, body: Buffer) => void): void {
  let received: Buffer | undefined;
  socket.on('data', (chunk: Buffer) => {
    received = received ? Buffer.concat([received, chunk]) : chunk;
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + contentLength(received, headEnd);
    if (received.length < bodyEnd) return;
    const answer = received;
    received = undefined;
    tell(statusOf(answer), answer.subarray(bodyStart, bodyEnd));
  });
}

/** `HTTP/1.1 200 …` */
function statusOf(answer: Buffer): number {
  const [hundreds = 0, tens = 0, ones = 0] = answer.subarray(9, 12);
  return (hundreds - DIGIT_ZERO) * 100 + (tens - DIGIT_ZERO) * 10 + ones - DIGIT_ZERO;
}

function contentLength(answer: Buffer, headEnd: number): number {
  const found = answer.indexOf(CONTENT_LENGTH);
  if (found < 0 || found > headEnd) throw new Error('an answer without content-length');
  let length = 0;
  for (let at = found + CONTENT_LENGTH.length; answer[at] !== CARRIAGE_RETURN; at += 1) {
    length = length * 10 + (answer[at] ?? DIGIT_ZERO) - DIGIT_ZERO;
  }
  return length;
}
