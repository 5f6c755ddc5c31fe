/**
 * The one door through which the gate connects to addresses that people name: chat hooks, push services, webhooks.
 * Whoever sends something out goes through it, so that no target reaches the network the gate stands in (threat 15).
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { request as requestClear } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressRange, isInRanges, isPublicAddress } from './outgoing-addresses.ts';

export interface OutgoingOptions {
  /** Ranges that may be reached although they are private; only these in clear text, too. */
  allowedPrivate: readonly AddressRange[];
  /** All addresses of a host name. */
  resolve?: (host: string) => Promise<readonly string[]>;
  /** From the start to the last byte of the answer. */
  timeoutMs?: number;
  /** More of an answer than this is not read. */
  mostAnswerBytes?: number;
}

export interface OutgoingRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | string;
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

const TIMEOUT_MS = 10_000;
const MOST_ANSWER_BYTES = 16_384;

export class Outgoing {
  readonly #allowed: readonly AddressRange[];
  readonly #resolve: (host: string) => Promise<readonly string[]>;
  readonly #timeoutMs: number;
  readonly #mostAnswerBytes: number;
  readonly #closing = new AbortController();

  constructor(options: OutgoingOptions) {
    this.#allowed = options.allowedPrivate;
    this.#resolve = options.resolve ?? resolveAll;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#mostAnswerBytes = options.mostAnswerBytes ?? MOST_ANSWER_BYTES;
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
    if (url.protocol === 'http:' && !listed) return 'Must begin with https://.';
    if (isIP(host) !== 0 && !listed && !isPublicAddress(host)) return 'Must not lead into a private network.';
    if (/^localhost$|\.(localhost|local|internal)$/i.test(host.replace(/\.$/, '')))
      return 'Must not lead into a private network.';
    return undefined;
  }

  /**
   * POSTs, and answers whatever came back; a redirect is an answer like any other and never followed. Every address
   * the name resolves to is checked, and the connection goes to one of those: nothing is resolved twice.
   *
   * @throws OutgoingError
   */
  async post({ url: target, headers, body }: OutgoingRequest): Promise<OutgoingAnswer> {
    const problem = this.findProblem(target);
    if (problem) throw new OutgoingError('refused', problem);
    const url = new URL(target);
    const send = url.protocol === 'https:' ? requestSecure : requestClear;
    const signal = AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), this.#closing.signal]);
    const { promise, resolve, reject } = Promise.withResolvers<OutgoingAnswer>();
    const request = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // No pool: a connection that was checked for one target is not taken for another.
      agent: false,
      lookup: this.#checkedLookup,
      signal,
    });
    request.on('error', (error) => reject(toOutgoingError(error, signal)));
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const finish = () => {
        const read = Buffer.concat(parts).subarray(0, this.#mostAnswerBytes);
        resolve({ status: response.statusCode ?? 0, headers: plainHeaders(response.headers), body: read });
        request.destroy();
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes >= this.#mostAnswerBytes) finish();
      });
      response.on('end', finish);
      response.on('error', (error) => reject(toOutgoingError(error, signal)));
    });
    request.end(body);
    return promise;
  }

  /** Cuts what is under way, and sends nothing more. */
  close(): void {
    this.#closing.abort();
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

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address);
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
