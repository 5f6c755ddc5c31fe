/** Owns the client: one object for one gate and one credential, whose members ask about intents, permits, and so on. */
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

/** What `Permitry.request` takes beside what every call takes. */
export interface RequestOptions extends CallOptions {
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: object | undefined;
}

/**
 * A client of one gate, with one credential. It holds no connection: make one and share it.
 *
 * Data have the names of the wire (`intent.approval_url`), options are camelCase (`timeoutMs`). A 429 is waited out, three
 * tries in all; every other error is thrown at once: `PermitryError` when the gate said no, `ConnectionError` when no whole
 * answer came.
 *
 * @example
 * const permitry = new Permitry({ baseUrl: 'https://gate.example.com', apiKey: process.env.PERMITRY_KEY });
 * const refund = permitry.protect('payments.refund', ({ order, amount }) => bank.refund(order, amount));
 * await refund({ order: 'A-4711', amount: 120.5 });
 */
export class Permitry {
  /** Address of the gate, without a slash at its end and without `/v1`. */
  readonly baseUrl: string;
  readonly intents: Intents;
  readonly permits: Permits;
  readonly audit: Audit;
  readonly gateway: Gateway;
  readonly proofs: Proofs;
  readonly #http: HttpClient;
  readonly #reports = new Reports();

  /** @throws TypeError for an address, a key or a number that cannot be used */
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
   * A function that runs only with a permit. Each call declares the action, waits for the decision, consumes the permit at
   * the gate, runs `run` once with a copy of the parameters as they were approved, and reports the outcome. It never runs
   * without a use that the gate confirmed, and never twice. What `run` answers is not held back until the report has
   * arrived, what it throws for a second at most: see `reported`.
   *
   * With `options.idempotencyKey` the declaration is made once, however often it is called with that key (within 24 hours);
   * the first call to use the permit runs, others are refused with `already_used`.
   *
   * @param action Name of the action, e.g. `payments.refund`.
   * @throws (of the call) DeniedError when it was denied or nobody decided, WaitTimeoutError after `waitMs`, PermitryError,
   * ConnectionError, TypeError when the parameters are not JSON; the signal's reason. After none of these it was run.
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
   * Resolves once every outcome of this client's protected functions has been reported, or given up (`onUnreported`). A
   * program that ends by itself need not wait for it. One that calls `process.exit`, or is frozen once it has answered,
   * has to.
   *
   * @example
   * await refund(params);
   * context.waitUntil(permitry.reported());
   */
  reported(): Promise<void> {
    return this.#reports.settled();
  }

  /**
   * Any other route of the gate, with the same key, time limit and errors. A POST gets an idempotency key.
   *
   * @param path From the first slash, e.g. `/v1/projects/prj_…/agents`; what is put into it has to be encoded.
   * @returns the answer's JSON; null where there is none (204)
   * @example const { data } = await permitry.request<Page<Agent>>('GET', `/v1/projects/${projectId}/agents`);
   */
  async request<T = JsonObject>(
    method: string,
    path: string,
    { query, body, ...options }: RequestOptions = {},
  ): Promise<T> {
    // Anything else could leave for another host with the key: "@elsewhere", or "//elsewhere".
    if (!/^\/(?!\/)/.test(path)) throw new TypeError('path must begin with one slash');
    return this.#http.send({ method: method.toUpperCase(), path, query, body }, options);
  }
}
