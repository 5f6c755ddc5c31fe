/**
 * The `fetch` of the MCP client. It uses the gate's outgoing port, reaches one address only, follows no redirects,
 * and counts the bytes of an answer while it streams.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Outgoing, OutgoingError } from '../../outgoing/outgoing.ts';
import { UpstreamError } from './upstream-error.ts';

/**
 * Names the call that a request belongs to, so that the events of its answer stream can be reported. Removed before
 * sending.
 */
export const CALL_HEADER = 'x-permitry-call';

export interface BoundedFetchOptions {
  outgoing: Outgoing;
  url: string;
  /** Sent with every request, to this address only. */
  headers: Readonly<Record<string, string>>;
  mostAnswerBytes: number;
  /** Time limit of one request: as long as a call may take. The GET stream that stays open has no limit. */
  mostRequestMs: number;
  /** Called when the answer of a call begins to stream; `end` cuts the stream. */
  onCallStream: (call: string, end: () => void) => void;
  /** Called when the answer stream of a call ends or is cut, and cannot be resumed. */
  onCallStreamEnd: (call: string, error: UpstreamError | undefined) => void;
}

/**
 * Concurrent connections to one server. Each reply to a request from the server opens another connection, and a server
 * may send any number of requests.
 */
const MOST_OPEN = 256;

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** Returns a `fetch` that rejects with UpstreamError. */
export function boundedFetch(options: BoundedFetchOptions): Fetch {
  let open = 0;
  return async (input, init = {}) => {
    const { outgoing, url, headers: secrets, mostRequestMs } = options;
    if (new URL(input).href !== new URL(url).href)
      throw new UpstreamError('It points to another address.', { mayHaveArrived: false });
    if (open >= MOST_OPEN)
      throw new UpstreamError('It keeps too many connections open.', { mayHaveArrived: false });
    const headers = new Headers(init.headers);
    const call = headers.get(CALL_HEADER);
    headers.delete(CALL_HEADER);
    // Drops headers of the MCP client: cookies are not stored here, and answers are not decompressed.
    for (const name of ['cookie', 'accept-encoding']) headers.delete(name);
    for (const [name, value] of Object.entries(secrets)) headers.set(name, value);
    const method = init.method ?? 'GET';
    const body = typeof init.body === 'string' ? init.body : undefined;
    if (body !== undefined) headers.set('content-length', String(Buffer.byteLength(body)));
    const given = init.signal ?? new AbortController().signal;
    const signal = method === 'GET' ? given : AbortSignal.any([given, AbortSignal.timeout(mostRequestMs)]);
    let request: ClientRequest;
    try {
      request = outgoing.begin(url, { method, headers: Object.fromEntries(headers), signal });
    } catch (error) {
      throw toUpstreamError(error, false);
    }
    open += 1;
    request.once('close', () => {
      open -= 1;
    });
    const response = await answerOf(request, body);
    return toResponse(response, request, call, options);
  };
}

function answerOf(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let isConnected = false;
  const connected = () => {
    isConnected = true;
  };
  request.on('socket', (socket) => {
    socket.once('connect', connected);
    socket.once('secureConnect', connected);
  });
  request.on('response', resolve);
  request.on('error', (error) => reject(toUpstreamError(error, isConnected)));
  request.on('close', () => reject(toUpstreamError(new Error('closed'), isConnected)));
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    reject(new UpstreamError('It answers in another protocol.', { mayHaveArrived: true }));
  });
  request.end(body);
  return promise;
}

function toResponse(
  response: IncomingMessage,
  request: ClientRequest,
  call: string | null,
  { mostAnswerBytes, onCallStream, onCallStreamEnd }: BoundedFetchOptions,
): Response {
  const { statusCode: status = 0 } = response;
  const refuse = (message: string): never => {
    request.destroy();
    throw new UpstreamError(message, { mayHaveArrived: true });
  };
  if (status >= 300 && status < 400) refuse('It answers with a redirect, which is not followed.');
  if (status < 200 || status > 599) refuse('It answers with an invalid status.');
  if (response.headers['content-encoding'] !== undefined)
    refuse('It answers in an encoding that was not requested.');
  if (Number(response.headers['content-length'] ?? 0) > mostAnswerBytes) refuse(tooLarge(mostAnswerBytes));
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    if (typeof value === 'string' && name !== 'set-cookie') headers.set(name, value);
  }
  if (status === 204 || status === 205 || status === 304) {
    response.resume();
    return new Response(null, { status, headers });
  }
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
  if (call !== null && isStream) onCallStream(call, () => request.destroy());
  const onEnd = (error: UpstreamError | undefined, canBeTakenUp: boolean) => {
    if (call !== null && isStream && !canBeTakenUp) onCallStreamEnd(call, error);
  };
  return new Response(boundedBody(response, request, mostAnswerBytes, onEnd), { status, headers });
}

/** Matches an event with an ID. After a cut, the client can ask for the events after that ID. */
const EVENT_ID = /(?:^|\n|\r)id:/;

function boundedBody(
  response: IncomingMessage,
  request: ClientRequest,
  mostBytes: number,
  onEnd: (error: UpstreamError | undefined, canBeTakenUp: boolean) => void,
): ReadableStream<Uint8Array> {
  let bytes = 0;
  let canBeTakenUp = false;
  let isOver = false;
  let before = '';
  const over = (error: UpstreamError | undefined) => {
    if (isOver) return false;
    isOver = true;
    onEnd(error, error?.message === tooLarge(mostBytes) ? false : canBeTakenUp);
    return true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: UpstreamError) => {
        request.destroy();
        if (over(error)) controller.error(error);
      };
      response.on('data', (part: Buffer) => {
        if (isOver) return;
        bytes += part.length;
        if (bytes > mostBytes) return fail(new UpstreamError(tooLarge(mostBytes), { mayHaveArrived: true }));
        if (!canBeTakenUp) {
          const text = before + part.toString('latin1');
          canBeTakenUp = EVENT_ID.test(text);
          before = text.slice(-4);
        }
        controller.enqueue(new Uint8Array(part));
        if ((controller.desiredSize ?? 0) <= 0) response.pause();
      });
      response.on('end', () => {
        if (over(undefined)) controller.close();
      });
      const cut = () => fail(new UpstreamError('The connection was closed.', { mayHaveArrived: true }));
      response.on('error', cut);
      response.on('aborted', cut);
      response.on('close', () => {
        if (!isOver) cut();
      });
    },
    pull() {
      response.resume();
    },
    cancel() {
      isOver = true;
      request.destroy();
    },
  });
}

function tooLarge(mostBytes: number): string {
  return `It answers with more than ${Math.floor(mostBytes / 1024)} KiB.`;
}

function toUpstreamError(error: unknown, isConnected: boolean): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (error instanceof OutgoingError) return new UpstreamError(error.message, { mayHaveArrived: false });
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError')
    return new UpstreamError('The answer did not arrive in time.', { mayHaveArrived: isConnected });
  if (code === 'HPE_HEADER_OVERFLOW')
    return new UpstreamError('It answers with headers that are too large.', { mayHaveArrived: true });
  return new UpstreamError(
    isConnected ? 'The connection was closed.' : `The connection failed (${code ?? 'it was closed'}).`,
    { mayHaveArrived: isConnected },
  );
}
