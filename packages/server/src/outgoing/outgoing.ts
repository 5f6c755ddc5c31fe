/**
 * The one door through which the gate connects to addresses that people name: chat hooks, push services, webhooks.
 * Whoever sends something out goes through it, so that no target reaches the network the gate stands in (threat 15).
 */
import type { AgentOptions, Agent as ClearAgent, ClientRequest } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { http } from '../runtime/node-http.ts';
import { type AddressRange, isInRanges, isPublicAddress } from './outgoing-addresses.ts';
import { resolveHost } from './resolve-host.ts';

export interface OutgoingOptions {
  /** Ranges that may be reached although they are private; only these in clear text, too. */
  allowedPrivate: readonly AddressRange[];
  /** All addresses of a host name. */
  resolve?: (host: string) => Promise<readonly string[]>;
  /** From the start to the last byte of the answer. */
  timeoutMs?: number;
  /** From the start to a connection with, where it is to be secure, TLS; as long as all of it unless told. */
  connectTimeoutMs?: number;
  /** From the head of the answer on: what has come of its body by then is taken for all of it. */
  mostAnswerMs?: number;
  /** More of an answer than this is not read. */
  mostAnswerBytes?: number;
  /**
   * Whether `post` uses a connection to the same host and port again, for a few seconds: where much is sent to the same
   * addresses. It leads to an address that was checked when it was made.
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
  /** At most `mostAnswerBytes` of it. */
  body: Buffer;
}

/** Why nothing was sent, or no answer came. Its message never holds the target: a hook's address is a secret. */
export class OutgoingError extends Error {
  readonly reason: 'refused' | 'unreachable' | 'timeout';

  constructor(reason: OutgoingError['reason'], message: string) {
    super(message);
    this.name = 'OutgoingError';
    this.reason = reason;
  }
}

/** The other side closed a kept connection as it was about to be used; it may not even have seen the request. */
class ClosedMeanwhileError extends Error {}

const TIMEOUT_MS = 10_000;
const MOST_ANSWER_BYTES = 16_384;
const MOST_HEADER_BYTES = 16_384;
/** Less than servers usually wait: one that closes just then has a request come to nothing. */
const KEPT_MS = 4000;
const MOST_KEPT_OF_HOST = 64;
/** Of answers with a status of 1xx before the answer itself: nobody counts their bytes, and each costs. */
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
   * Why this target can be told from its looks never to be reached, or undefined: for a form in which it is set. A
   * name may still lead to a private address later; that is looked at on every connection.
   */
  findProblem(target: string): string | undefined {
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
      return 'Must be a URL with https://.';
    if (url.username !== '' || url.password !== '') return 'Must not hold a user name or a password.';
    const host = hostOf(url);
    const listed = isIP(host) !== 0 && isInRanges(host, this.#allowed);
    const isPrivate = isIP(host) === 0 ? isInternalName(host) : !isPublicAddress(host);
    if (url.protocol === 'http:' && !listed) {
      return isPrivate
        ? 'Must begin with https://, unless it is an address, in numbers, that PERMITRY_ALLOW_PRIVATE_TARGETS holds.'
        : 'Must begin with https://.';
    }
    // Where the operator lists addresses, an internal name may lead to one: that is looked at on every connection.
    const mayBeListed = listed || (isIP(host) === 0 && this.#allowed.length > 0);
    return isPrivate && !mayBeListed ? 'Must not lead into a private network.' : undefined;
  }

  /**
   * POSTs, and answers whatever came back; a redirect is an answer like any other and never followed. Every address
   * the name resolves to is checked, and the connection goes to one of those: nothing is resolved twice.
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
    // Without somebody who listens the connection would be cut without a word, and whoever sends wait for good.
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
        // What is whole leaves its connection to the next one.
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
   * Begins a request, for whoever reads its answer themselves; the same rules hold for where it goes. It is cut when
   * `signal` aborts, and when the door is closed.
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

  /** Cuts what is under way, and sends nothing more. */
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
      // Of a pool by host and port: a connection that was checked for one target is not taken for another.
      agent: kept ? (isSecure ? kept.secure : kept.clear) : false,
      lookup: this.#checkedLookup,
      maxHeaderSize: MOST_HEADER_BYTES,
      signal,
    });
    boundAnnouncements(request);
    if (this.#connectTimeoutMs !== undefined) boundConnecting(request, url, this.#connectTimeoutMs);
    return request;
  }

  /** What `net.connect` asks when it is about to connect: the last moment, and the only look-up there is. */
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

  /** One that may not be reached among them refuses them all: who answers so means to be let in by the other. */
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

/** A host that takes the packets and says nothing must not hold a place as long as one that thinks about its answer. */
function boundConnecting(request: ClientRequest, { protocol }: URL, timeoutMs: number): void {
  const patience = setTimeout(() => {
    request.destroy(new OutgoingError('timeout', 'No connection came about in time.'));
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
    if (announcements > MOST_ANNOUNCEMENTS)
      request.destroy(new Error('an answer that is announced without end'));
  });
}

function isInternalName(host: string): boolean {
  return /^localhost$|\.(localhost|local|internal)$/i.test(host.replace(/\.$/, ''));
}

/** As the URL parser wrote it: `0x7f.1`, `2130706433` and `0177.0.0.1` are 127.0.0.1 by then. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function plainHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** In words of ours: those of the network name hosts. */
function toOutgoingError(error: Error, signal: AbortSignal): OutgoingError {
  if (error instanceof OutgoingError) return error;
  if (signal.aborted) return new OutgoingError('timeout', 'No answer came in time.');
  const { code } = error as NodeJS.ErrnoException;
  return new OutgoingError('unreachable', `No connection came about (${code ?? 'it was cut'}).`);
}
