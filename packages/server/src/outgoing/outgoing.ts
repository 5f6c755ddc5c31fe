/**
 * The only way for the gate to connect to addresses that people name: chat hooks, push services, webhooks. So no target
 * can reach into the gate's own network (threat 15).
 */
import type { AgentOptions, Agent as ClearAgent, ClientRequest } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { http } from '../runtime/node-http.ts';
import { type AddressRange, isInRanges, isPublicAddress } from './outgoing-addresses.ts';
import { resolveHost } from './resolve-host.ts';

export interface OutgoingOptions {
  /** Private ranges that may be reached. Only these may also be reached without encryption. */
  allowedPrivate: readonly AddressRange[];
  /** All addresses of a host name. */
  resolve?: (host: string) => Promise<readonly string[]>;
  /** From the start to the last byte of the answer. */
  timeoutMs?: number;
  /** From the start to a connection, including TLS for https. Default: `timeoutMs`. */
  connectTimeoutMs?: number;
  /**
   * Time for the body, from the answer's headers on. When it is over, the part of the body received so far counts as
   * the whole.
   */
  mostAnswerMs?: number;
  /** The rest of a longer answer is not read. */
  mostAnswerBytes?: number;
  /**
   * Whether `post` reuses a connection to the same host and port for a few seconds. This helps where much is sent to
   * the same addresses. The address of a connection is checked when the connection is made.
   */
  keepsConnections?: boolean;
}

export interface OutgoingRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | string;
}

interface RequestForm {
  method: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface OutgoingAnswer {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** At most `mostAnswerBytes` of the body. */
  body: Buffer;
}

/**
 * Why nothing was sent, or no answer came. Its message never contains the target, because a hook's address is a secret.
 */
export class OutgoingError extends Error {
  readonly reason: 'refused' | 'unreachable' | 'timeout';

  constructor(reason: OutgoingError['reason'], message: string) {
    super(message);
    this.name = 'OutgoingError';
    this.reason = reason;
  }
}

/** The other side closed a kept connection just before it was used, and may not even have seen the request. */
class ClosedMeanwhileError extends Error {}

const TIMEOUT_MS = 10_000;
const MOST_ANSWER_BYTES = 16_384;
const MOST_HEADER_BYTES = 16_384;
/** Shorter than servers usually wait: a request fails if the server closes at that moment. */
const KEPT_MS = 4000;
const MOST_KEPT_OF_HOST = 64;
/** Limits the 1xx responses before the final answer: nothing else counts their bytes, and each costs time. */
const MOST_ANNOUNCEMENTS = 32;

export class Outgoing {
  readonly #allowed: readonly AddressRange[];
  readonly #resolve: (host: string) => Promise<readonly string[]>;
  readonly #timeoutMs: number;
  readonly #connectTimeoutMs: number | undefined;
  readonly #mostAnswerMs: number | undefined;
  readonly #mostAnswerBytes: number;
  readonly #kept: { clear: ClearAgent; secure: SecureAgent } | undefined;
  readonly #closing = new AbortController();

  constructor(options: OutgoingOptions) {
    this.#allowed = options.allowedPrivate;
    this.#resolve = options.resolve ?? ((host) => resolveHost(host));
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#connectTimeoutMs = options.connectTimeoutMs;
    this.#mostAnswerMs = options.mostAnswerMs;
    this.#mostAnswerBytes = options.mostAnswerBytes ?? MOST_ANSWER_BYTES;
    if (!options.keepsConnections) return;
    const how: AgentOptions = { keepAlive: true, timeout: KEPT_MS, maxFreeSockets: MOST_KEPT_OF_HOST };
    this.#kept = { clear: new http.Agent(how), secure: new SecureAgent(how) };
  }

  /**
   * Says why the target can never be reached, as far as its text shows. A form that sets a target shows this.
   * Undefined: no reason. A name may still lead to a private address later, so every connection checks that.
   */
  findProblem(target: string): string | undefined {
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
      return 'Must be a URL that begins with https://.';
    if (url.username !== '' || url.password !== '') return 'Must not contain a user name or a password.';
    const host = hostOf(url);
    const listed = isIP(host) !== 0 && isInRanges(host, this.#allowed);
    const isPrivate = isIP(host) === 0 ? isInternalName(host) : !isPublicAddress(host);
    if (url.protocol === 'http:' && !listed) {
      return isPrivate
        ? 'Must begin with https://. Only a numeric address in PERMITRY_ALLOW_PRIVATE_TARGETS may use http://.'
        : 'Must begin with https://.';
    }
    // If the operator lists private addresses, an internal name may lead to one of them. Every connection checks that.
    const mayBeListed = listed || (isIP(host) === 0 && this.#allowed.length > 0);
    return isPrivate && !mayBeListed ? 'Must not lead into a private network.' : undefined;
  }

  /**
   * POSTs, and returns whatever answer came back. A redirect is an answer like any other, and is never followed. Checks
   * every address that the name resolves to, and connects to one of them without another look-up.
   *
   * @throws OutgoingError
   */
  async post(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const signal = AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), this.#closing.signal]);
    if (!this.#kept) return this.#post(request, signal, false);
    try {
      return await this.#post(request, signal, true);
    } catch (error) {
      if (!(error instanceof ClosedMeanwhileError)) throw error;
      return this.#post(request, signal, false);
    }
  }

  #post(
    { url: target, headers, body }: OutgoingRequest,
    signal: AbortSignal,
    mayBeKept: boolean,
  ): Promise<OutgoingAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<OutgoingAnswer>();
    const how = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal,
    };
    const request = this.#begin(target, how, mayBeKept);
    let isAnswered = false;
    request.on('error', (error) => {
      const isStale = request.reusedSocket && !isAnswered && !signal.aborted;
      reject(isStale ? new ClosedMeanwhileError() : toOutgoingError(error, signal));
    });
    // Without a listener, the connection would be cut without an event, and the caller would wait forever.
    request.on('upgrade', ({ statusCode = 0, headers: given }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, headers: plainHeaders(given), body: Buffer.alloc(0) });
    });
    request.on('close', () => reject(toOutgoingError(new Error('closed'), signal)));
    request.on('response', (response) => {
      isAnswered = true;
      const parts: Buffer[] = [];
      let bytes = 0;
      let patience: NodeJS.Timeout | undefined;
      const finish = () => {
        clearTimeout(patience);
        const read = Buffer.concat(parts).subarray(0, this.#mostAnswerBytes);
        resolve({ status: response.statusCode ?? 0, headers: plainHeaders(response.headers), body: read });
        // After a complete answer, the next request can use the connection.
        if (!response.complete) request.destroy();
      };
      if (this.#mostAnswerMs !== undefined) patience = setTimeout(finish, this.#mostAnswerMs);
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes >= this.#mostAnswerBytes) finish();
      });
      response.on('end', finish);
      response.on('error', (error) => {
        clearTimeout(patience);
        reject(toOutgoingError(error, signal));
      });
    });
    request.end(body);
    return promise;
  }

  /**
   * Begins a request whose answer the caller reads. The target is checked as in `post`. The request is cut when
   * `signal` aborts, and when this instance is closed.
   *
   * @throws OutgoingError `refused`
   */
  begin(target: string, how: RequestForm): ClientRequest {
    return this.#begin(
      target,
      { ...how, signal: AbortSignal.any([how.signal, this.#closing.signal]) },
      false,
    );
  }

  /** Cuts running requests, and sends nothing more. */
  close(): void {
    this.#closing.abort();
    this.#kept?.clear.destroy();
    this.#kept?.secure.destroy();
  }

  #begin(target: string, { method, headers, signal }: RequestForm, mayBeKept: boolean): ClientRequest {
    const problem = this.findProblem(target);
    if (problem) throw new OutgoingError('refused', problem);
    const url = new URL(target);
    const isSecure = url.protocol === 'https:';
    const send = isSecure ? requestSecure : http.request;
    const kept = mayBeKept && this.#kept;
    const request = send(url, {
      method,
      headers,
      // The pool is keyed by host and port: a connection that was checked for one target is never used for another.
      agent: kept ? (isSecure ? kept.secure : kept.clear) : false,
      lookup: this.#checkedLookup,
      maxHeaderSize: MOST_HEADER_BYTES,
      signal,
    });
    boundAnnouncements(request);
    if (this.#connectTimeoutMs !== undefined) boundConnecting(request, url, this.#connectTimeoutMs);
    return request;
  }

  /**
   * Called by `net.connect` just before it connects. This is the only look-up, so the name cannot change in between.
   */
  readonly #checkedLookup: LookupFunction = (host, options, callback) => {
    this.#permittedAddresses(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all) callback(null, found);
        else if (first) callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };

  /** One forbidden address refuses all of them: a host that lists one may be trying to lead the gate to it. */
  async #permittedAddresses(host: string): Promise<readonly string[]> {
    const addresses = await this.#resolve(host);
    if (addresses.length === 0) throw new OutgoingError('unreachable', 'The host has no address.');
    const permitted = (address: string) => isPublicAddress(address) || isInRanges(address, this.#allowed);
    if (!addresses.every(permitted)) {
      throw new OutgoingError('refused', 'The host leads into a private network.');
    }
    return addresses;
  }
}

/** A host that never completes a connection must not occupy a slot as long as one that is preparing its answer. */
function boundConnecting(request: ClientRequest, { protocol }: URL, timeoutMs: number): void {
  const patience = setTimeout(() => {
    request.destroy(new OutgoingError('timeout', 'The connection was not established in time.'));
  }, timeoutMs);
  const stop = () => clearTimeout(patience);
  request.on('close', stop);
  request.on('socket', (socket) => {
    if (request.reusedSocket) stop();
    else socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', stop);
  });
}

function boundAnnouncements(request: ClientRequest): void {
  let announcements = 0;
  request.on('information', () => {
    announcements += 1;
    if (announcements > MOST_ANNOUNCEMENTS) request.destroy(new Error('too many interim (1xx) responses'));
  });
}

function isInternalName(host: string): boolean {
  return /^localhost$|\.(localhost|local|internal)$/i.test(host.replace(/\.$/, ''));
}

/** The host as the URL parser wrote it: the parser turns `0x7f.1`, `2130706433` and `0177.0.0.1` into 127.0.0.1. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function plainHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Uses the gate's own words, because the network's errors name hosts. */
function toOutgoingError(error: Error, signal: AbortSignal): OutgoingError {
  if (error instanceof OutgoingError) return error;
  if (signal.aborted) return new OutgoingError('timeout', 'The answer did not arrive in time.');
  const { code } = error as NodeJS.ErrnoException;
  return new OutgoingError('unreachable', `The connection failed (${code ?? 'it was closed'}).`);
}
