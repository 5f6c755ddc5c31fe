/** Owns the client: one object for one gate and one credential. Its members cover intents, permits, and so on. */
import type { JsonObject } from '@permitry/protocol';
import { Audit } from './audit/audit.ts';
import type { CallOptions } from './calls/call-options.ts';
import { HttpClient, type Query } from './calls/http-client.ts';
import { Gateway } from './gateway/gateway.ts';
import { Intents } from './intents/intents.ts';
import { Permits } from './permits/permits.ts';
import { Proofs } from './proofs/proofs.ts';
import { callProtected } from './protect/protect.ts';
import type { ProtectOptions } from './protect/protect-options.ts';
import { Reports } from './protect/reports.ts';
import { type PermitryOptions, readSettings } from './settings.ts';
import type { JsonParams } from './wire/json-params.ts';
import type { UsedPermit } from './wire/permit.ts';

/** Options of `Permitry.request`, in addition to those of every call. */
export interface RequestOptions extends CallOptions {
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: object | undefined;
}

/**
 * A client of one gate, with one credential. It holds no connection, so create one and share it.
 *
 * Data use the names of the API (`intent.approval_url`); options are camelCase (`timeoutMs`). The client retries after
 * a 429, three tries in total. It throws every other error at once: `PermitryError` when the gate refused,
 * `ConnectionError` when no complete answer came.
 *
 * @example
 * const permitry = new Permitry({ baseUrl: 'https://gate.example.com', apiKey: process.env.PERMITRY_KEY });
 * const refund = permitry.protect('payments.refund', ({ order, amount }) => bank.refund(order, amount));
 * await refund({ order: 'A-4711', amount: 120.5 });
 */
export class Permitry {
  /** Address of the gate, without a trailing slash and without `/v1`. */
  readonly baseUrl: string;
  readonly intents: Intents;
  readonly permits: Permits;
  readonly audit: Audit;
  readonly gateway: Gateway;
  readonly proofs: Proofs;
  readonly #http: HttpClient;
  readonly #reports = new Reports();

  /** @throws TypeError for an unusable address, key or number */
  constructor(options: PermitryOptions = {}) {
    const settings = readSettings(options);
    this.baseUrl = settings.baseUrl;
    this.#http = new HttpClient(settings);
    this.intents = new Intents(this.#http);
    this.permits = new Permits(this.#http);
    this.audit = new Audit(this.#http);
    this.gateway = new Gateway(this.#http);
    this.proofs = new Proofs(this.#http);
  }

  /**
   * Creates a function that runs only with a permit. Each call declares the action, waits for the decision and consumes
   * the permit at the gate. Then it calls `run` once with a copy of the approved parameters and reports the outcome. It
   * never calls `run` without a use that the gate confirmed, and never twice. It returns the result of `run` without
   * waiting for the report. It holds an error of `run` for a second at most: see `reported`.
   *
   * With `options.idempotencyKey`, calls with the same key within 24 hours share one declaration. The first of them to
   * use the permit runs, and the others are refused with `already_used`.
   *
   * @param action Name of the action, e.g. `payments.refund`.
   * @throws (of the call) DeniedError when it was denied or nobody decided, WaitTimeoutError after `waitMs`,
   * PermitryError, ConnectionError, TypeError when the parameters are not JSON; the signal's reason. After all of
   * these, `run` was not called.
   * @example
   * const dropTable = permitry.protect('database.drop', ({ table }) => db.drop(table), {
   *   waitMs: 600_000,
   *   onPending: ({ approval_url }) => console.log(`Waiting for ${approval_url}`),
   * });
   * await dropTable({ table: 'orders_2019' });
   */
  protect<P extends JsonParams<P> = JsonObject, R = unknown, M extends JsonParams<M> = JsonObject>(
    action: string,
    run: (params: P, permit: UsedPermit) => Promise<R> | R,
    options: ProtectOptions<P, M> = {},
  ): (params: P, call?: CallOptions) => Promise<R> {
    const { intents, permits } = this;
    const client = { intents, permits, reports: this.#reports };
    return (params, call) => callProtected(client, { action, run, options }, params, call);
  }

  /**
   * Resolves when every outcome of this client's protected functions was reported or given up (`onUnreported`). A
   * program that ends on its own need not await it. A program that calls `process.exit`, or is frozen after its answer,
   * must await it.
   *
   * @example
   * await refund(params);
   * context.waitUntil(permitry.reported());
   */
  reported(): Promise<void> {
    return this.#reports.settled();
  }

  /**
   * Calls any other route of the gate with the same key, timeout and errors. A POST gets an idempotency key.
   *
   * @param path Begins with a slash, e.g. `/v1/projects/prj_…/agents`. Encode every value in it.
   * @returns the answer's JSON; null if there is none (204)
   * @example const { data } = await permitry.request<Page<Agent>>('GET', `/v1/projects/${projectId}/agents`);
   */
  async request<T = JsonObject>(
    method: string,
    path: string,
    { query, body, ...options }: RequestOptions = {},
  ): Promise<T> {
    // Any other path could send the key to another host: "@elsewhere", or "//elsewhere".
    if (!/^\/(?!\/)/.test(path)) throw new TypeError('path must begin with one slash');
    return this.#http.send({ method: method.toUpperCase(), path, query, body }, options);
  }
}
