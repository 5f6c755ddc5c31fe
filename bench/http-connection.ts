/** One HTTP/1.1 connection with one request at a time: the smallest possible client. */
import { connect, type Socket } from 'node:net';

export interface Prepared {
  method: 'GET' | 'POST';
  path: string;
  /** Bearer credential. */
  key?: string;
  idempotencyKey?: string;
  /** Other headers. */
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = Buffer.from('\r\ncontent-length: ');
const DIGIT_ZERO = 48;
const CARRIAGE_RETURN = 13;

export function toBytes({ method, path, key, idempotencyKey, headers = {}, body }: Prepared): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost'];
  if (key !== undefined) lines.push(`authorization: Bearer ${key}`);
  if (idempotencyKey !== undefined) lines.push(`idempotency-key: ${idempotencyKey}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** @param from The source address. A source address has only a limited number of ports. */
export function openConnection(port: number, from = '127.0.0.1'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', localAddress: from, noDelay: true };
    const socket = connect(options, () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Calls `tell` for every answer. Every answer must have a Content-Length. */
export function onAnswer(socket: Socket, tell: (status: number, body: Buffer) => void): void {
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
