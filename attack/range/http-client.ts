/** Calls the gate under attack over HTTP. It keeps every response together with its request. */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type RangeClock, WALL_CLOCK } from './clock.ts';
import type { Exchange } from './exchange.ts';
import type { Secrets } from './secrets.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** `{}` when the body is not a JSON object. */
  body: Record<string, unknown>;
  text: string;
  milliseconds: number;
  exchange: Exchange;
}

export interface CallOptions {
  /** Sent as a bearer token. */
  key?: string | undefined;
  /** Text and bytes are sent as they are, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Returns a 429 immediately. Otherwise the client waits and tries again. */
  impatient?: boolean;
  /** Uses a connection of its own. */
  fresh?: boolean;
}

/** A response, kept for the check at the end. */
export interface Heard {
  key: string | undefined;
  method: string;
  path: string;
  status: number;
  text: string;
}

const TIMEOUT_MS = 70_000;
/** The most characters of a body in a report. */
const SHOWN = 1500;

export class HttpClient {
  readonly target: URL;
  readonly secrets: Secrets;
  readonly heard: Heard[] = [];
  readonly #agent: HttpAgent;
  readonly #onWait: (seconds: number) => void;
  readonly #clock: RangeClock;
  readonly #prefix: string;

  constructor(
    target: URL,
    secrets: Secrets,
    onWait: (seconds: number) => void = () => {},
    clock: RangeClock = WALL_CLOCK,
  ) {
    this.target = target;
    this.secrets = secrets;
    this.#onWait = onWait;
    this.#clock = clock;
    this.#prefix = target.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
    const options = { keepAlive: true, maxSockets: 128 };
    this.#agent = target.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** @example await client.call('POST', '/v1/intents', { key, body: { action: 'deploy' } }) */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.#send(method, path, options);
    const wait = Number(answer.headers['retry-after']);
    if (answer.status !== 429 || options.impatient || !(wait <= 61)) return answer;
    this.#onWait(wait);
    await this.#clock.pass(wait + 0.2);
    return this.#send(method, path, options);
  }

  /** Opens this many connections in advance, so that the next requests start at the same moment. */
  async warmUp(connections: number): Promise<void> {
    await Promise.all(Array.from({ length: connections }, () => this.call('GET', '/healthz')));
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    method: string,
    path: string,
    { key, body, headers = {}, fresh = false }: CallOptions,
  ): Promise<Answer> {
    const payload =
      body === undefined
        ? undefined
        : typeof body === 'string' || Buffer.isBuffer(body)
          ? body
          : JSON.stringify(body);
    const startedAt = performance.now();
    const send = this.target.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = send(
        {
          host: this.target.hostname.replace(/^\[|\]$/g, ''),
          port: this.target.port,
          method,
          path: this.#prefix + path,
          agent: fresh ? false : this.#agent,
          timeout: TIMEOUT_MS,
          headers: {
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
            ...(payload === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const status = response.statusCode ?? 0;
            this.heard.push({ key, method, path, status, text });
            resolve({
              status,
              headers: response.headers,
              body: toObject(text, response.headers['content-type']),
              text,
              milliseconds: performance.now() - startedAt,
              exchange: this.#toExchange({ key, method, path, payload, status, text }),
            });
          });
        },
      );
      request.on('timeout', () =>
        request.destroy(new Error(`no answer to ${method} ${path} in ${TIMEOUT_MS} ms`)),
      );
      request.on('error', reject);
      request.end(payload);
    });
  }

  #toExchange(sent: Heard & { payload: string | Buffer | undefined }): Exchange {
    const { key, method, path, payload, status, text } = sent;
    const { secrets } = this;
    // Built on demand: a report shows only a few of thousands of exchanges.
    return {
      get who() {
        return secrets.holderOf(key);
      },
      method,
      get path() {
        return shown(secrets.scrub(path));
      },
      get request() {
        return shown(secrets.scrub(payload === undefined ? '' : payload.toString('utf8')));
      },
      status,
      get answer() {
        return shown(secrets.scrub(text));
      },
    };
  }
}

function shown(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text;
}

function toObject(text: string, contentType: string | undefined): Record<string, unknown> {
  if (!contentType?.startsWith('application/json')) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
