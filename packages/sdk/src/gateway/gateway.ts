/** Owns calls of protected tools: `permitry.gateway`. */
import type { JsonObject } from '@permitry/protocol';
import type { CallOptions } from '../calls/call-options.ts';
import { copyJson } from '../calls/copy-json.ts';
import { assertAnswer, type HttpClient } from '../calls/http-client.ts';
import type { GatewayAnswer, GatewayCall, GatewayTool } from '../wire/gateway.ts';
import type { JsonParams } from '../wire/json-params.ts';

/** Options of a tool call. */
export interface GatewayOptions extends CallOptions {
  /** Milliseconds that the gate may wait for people before it answers `pending`, at most 60 000. Default: 0. */
  waitMs?: number | undefined;
}

/** The gate lets a tool run this long, and then answers `executing`. Its wait for people has the same limit. */
const LONGEST_WAIT_MS = 60_000;

/** Tools that the gate itself runs after their approval. Every method throws `PermitryError` and `ConnectionError`. */
export class Gateway {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * The protected tools of the project.
   *
   * @example const names = (await permitry.gateway.tools()).map(({ name }) => name);
   */
  async tools(options?: CallOptions): Promise<GatewayTool[]> {
    const request = { method: 'GET', path: '/api/mcp-gateway' };
    const answer = await this.#http.send<{ tools: GatewayTool[] }>(request, options);
    assertAnswer(Array.isArray(answer?.tools));
    return answer.tools;
  }

  /**
   * Calls a tool. The tool runs immediately if policy allows it. If policy requires approval, a person is asked first
   * (`pending`). If the answer is lost (`ConnectionError`), repeat the call with the error's `idempotencyKey`: the tool
   * runs once, and you get its result.
   *
   * @throws PermitryError `policy_violation`, `not_found` for an unknown tool, `invalid_request` with `fields` below
   * `/arguments`, `permit_invalid`
   * @example
   * const answer = await permitry.gateway.call({ tool: 'mail.send', arguments: { to: 'ann@example.org', text: 'Hello' } });
   * if (answer.status === 'pending') console.log(answer.approval_url, answer.connector_request_id);
   */
  async call<P extends JsonParams<P> = JsonObject>(
    { arguments: given, ...rest }: GatewayCall<P>,
    options?: GatewayOptions,
  ): Promise<GatewayAnswer> {
    return this.#post({ ...rest, arguments: copyJson(given, 'arguments') }, options);
  }

  /**
   * Resumes a call that was pending or executing. An approved call runs exactly once, and you get its result however
   * often you resume it.
   *
   * @throws PermitryError `intent_denied` by a person, `policy_violation` or `intent_expired` when it was not approved,
   * `not_found`
   * @example const answer = await permitry.gateway.resume(pending.connector_request_id, { waitMs: 60_000 });
   */
  resume(connectorRequestId: string, options?: GatewayOptions): Promise<GatewayAnswer> {
    return this.#post({ connector_request_id: connectorRequestId }, options);
  }

  async #post(body: object, { waitMs = 0, ...options }: GatewayOptions = {}): Promise<GatewayAnswer> {
    if (!(waitMs >= 0 && waitMs <= LONGEST_WAIT_MS))
      throw new TypeError(`waitMs must be between 0 and ${LONGEST_WAIT_MS}`);
    const wait = Math.ceil(waitMs / 1000);
    const answer = await this.#http.send<GatewayAnswer>(
      {
        method: 'POST',
        path: '/api/mcp-gateway',
        body,
        ...(wait === 0 ? {} : { query: { wait } }),
        waitMs: LONGEST_WAIT_MS,
      },
      options,
    );
    assertAnswer(typeof answer?.status === 'string');
    return answer;
  }
}
