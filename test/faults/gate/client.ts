/**
 * One client of a gate over HTTP. If there is no answer, it reports that, because the request may have been carried out
 * or not.
 */
import { Agent, request } from 'node:http';

export interface Ask {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  key?: string;
  body?: object;
  idempotencyKey?: string;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Record<string, unknown>;
}

/** A gate, or several gates of which any may answer. */
export type AnyClient = Pick<Client, 'ask' | 'get'>;

export class Client {
  readonly url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(url: string) {
    this.url = url;
  }

  /**
   * Undefined when the connection ended before the answer was complete.
   *
   * @param givingUp aborts the request
   */
  ask({ method, path, key, body, idempotencyKey }: Ask, givingUp?: AbortSignal): Promise<Answer | undefined> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers: Record<string, string> = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    return new Promise((resolve) => {
      const options = { method, headers, agent: this.#agent, ...(givingUp ? { signal: givingUp } : {}) };
      const sending = request(this.url + path, options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', () => resolve(undefined));
        response.on('close', () => {
          if (!response.complete) return resolve(undefined);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: toBody(text) });
        });
      });
      sending.on('error', () => resolve(undefined));
      sending.end(payload);
    });
  }

  /** @throws Error when there is no answer, or not one of this status */
  async get(path: string, key: string, status = 200): Promise<Record<string, unknown>> {
    return expectStatus(path, await this.ask({ method: 'GET', path, key }), status);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** @throws Error when there is no answer, or not one of this status */
export function expectStatus(
  path: string,
  answer: Answer | undefined,
  status: number,
): Record<string, unknown> {
  if (answer?.status !== status)
    throw new Error(`GET ${path} answered ${answer?.status ?? 'nothing'}: ${JSON.stringify(answer?.body)}`);
  return answer.body;
}

function toBody(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { text };
  }
}
