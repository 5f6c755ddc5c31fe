/** Owns the calls about intents: `permitry.intents`. */
import type { JsonObject } from '@permitry/protocol';
import type { CallOptions } from '../calls/call-options.ts';
import { copyJson } from '../calls/copy-json.ts';
import { assertAnswer, type HttpClient, segment } from '../calls/http-client.ts';
import type {
  ApproveIntent,
  CreateIntent,
  DenyIntent,
  Intent,
  IntentSummary,
  ListIntents,
  RecordedOutcome,
  ReportOutcome,
} from '../wire/intent.ts';
import type { JsonParams } from '../wire/json-params.ts';
import type { Page } from '../wire/page.ts';
import { assertIntent } from './assert-intent.ts';
import { type WaitOptions, waitForDecision } from './wait-for-decision.ts';

/** Declared actions, and the decisions about them. Every method throws `PermitryError` and `ConnectionError`. */
export class Intents {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Declares an action before it runs. If the policy approves immediately, `status` is `approved` and `permit` is
   * present.
   *
   * @throws PermitryError `policy_violation` when the policy denies (`body.rule`, `body.intent_id`), `invalid_request`
   * with `fields`, `approver_not_found`, `agent_paused`, `agent_revoked`, `project_stopped`
   * @throws TypeError when `params` or `metadata` contain a value that JSON lacks
   * @example
   * const intent = await permitry.intents.create({ action: 'payments.refund', params: { order: 'A-4711', amount: 120.5 } });
   * console.log(intent.status, intent.approval_url);
   */
  async create<P extends JsonParams<P> = JsonObject, M extends JsonParams<M> = JsonObject>(
    input: CreateIntent<P, M>,
    options?: CallOptions,
  ): Promise<Intent> {
    const intent = assertIntent(
      await this.#http.send({ method: 'POST', path: '/v1/intents', body: toBody(input) }, options),
    );
    // Answers can be mixed up in transit. A permit for another action must not be used for this one.
    assertAnswer(intent.action === input.action);
    return intent;
  }

  /**
   * The current state of an intent. `permit` is present after the approval.
   *
   * @throws PermitryError `intent_not_found`
   * @example const { status } = await permitry.intents.get('int_…');
   */
  async get(id: string, options?: CallOptions): Promise<Intent> {
    const path = `/v1/intents/${segment(id)}`;
    return assertIntent(await this.#http.send({ method: 'GET', path }, options), id);
  }

  /**
   * The intents that the credential may see, newest first and without permits.
   *
   * @example const { data, next_cursor } = await permitry.intents.list({ status: 'pending', limit: 20 });
   */
  async list(query: ListIntents = {}, options?: CallOptions): Promise<Page<IntentSummary>> {
    const answer = await this.#http.send<SurfaceAList>(
      { method: 'GET', path: '/api/intents', query: { ...query } },
      options,
    );
    assertAnswer(Array.isArray(answer?.intents));
    const { intents, next_cursor } = answer;
    return { data: intents.map(toSummary), next_cursor };
  }

  /**
   * Waits by long polling until the intent is approved, denied or expired. It retries after broken connections, gate
   * restarts and temporary refusals (429, 502 to 504), so you can wait in this call for a long time.
   *
   * @param options.waitMs Milliseconds in total. Default: until it is resolved. A gate that does not answer may add one
   * `timeoutMs`. With 0 it reads the intent once.
   * @throws WaitTimeoutError with the intent, when it is still pending after that time
   * @example
   * const decided = await permitry.intents.wait(intent.id, { waitMs: 600_000, signal });
   * if (decided.status !== 'approved') throw new DeniedError(decided);
   */
  wait(id: string, options?: WaitOptions): Promise<Intent> {
    return waitForDecision(this.#http, id, options);
  }

  /**
   * Withdraws a pending intent as its requester. It is then denied with the reason `withdrawn`.
   *
   * @throws PermitryError `intent_already_resolved`, `intent_expired`
   * @example await permitry.intents.withdraw(intent.id);
   */
  withdraw(id: string, options?: CallOptions): Promise<Intent> {
    return this.#post(id, 'withdraw', {}, options);
  }

  /**
   * Resubmits an intent that expired, or whose approver asked for more time. Creates a new intent that needs a new
   * decision.
   *
   * @param more.expires_in Lifetime in seconds.
   * @example const again = await permitry.intents.askAgain(expired.id, { expires_in: 7200 });
   */
  askAgain(id: string, more: { expires_in?: number } = {}, options?: CallOptions): Promise<Intent> {
    return this.#post(id, 'ask-again', { ...more }, options);
  }

  /**
   * Approves as the person behind the credential. The intent stays pending while it needs more approvals. With a device
   * proof, also pass `intent_hash`, the hash of the request that the person was shown.
   *
   * @throws PermitryError `forbidden`, `already_voted`, `intent_expired`, `intent_already_resolved`, `proof_required`,
   * `invalid_request` for a device proof without `intent_hash`, `conflict` for the hash of another request
   * @example await permitry.intents.approve(id, { comment: 'Seen the photographs.' });
   */
  approve(id: string, said: ApproveIntent = {}, options?: CallOptions): Promise<Intent> {
    return this.#post(id, 'approve', { ...said }, options);
  }

  /**
   * Denies as the person behind the credential. One denial denies the request.
   *
   * @throws PermitryError as `approve`
   * @example await permitry.intents.deny(id, { reason: 'Ask the customer for the order number first.' });
   */
  deny(id: string, said: DenyIntent = {}, options?: CallOptions): Promise<Intent> {
    return this.#post(id, 'deny', { ...said }, options);
  }

  /**
   * Gives the requester a fresh permit for an approved intent that has not expired and was not used. So an agent that
   * wakes up late does not need a second approval.
   *
   * @throws PermitryError `permit_invalid` (`already_used`, `revoked`, …), `intent_expired`
   * @example const { permit } = await permitry.intents.freshPermit(intent.id);
   */
  freshPermit(id: string, options?: CallOptions): Promise<Intent> {
    return this.#post(id, 'permit', {}, options);
  }

  /**
   * Reports the outcome of the action with the credential that consumed the permit. It can be reported only once.
   *
   * @throws PermitryError `conflict` when it was reported before
   * @example await permitry.intents.reportOutcome(id, { outcome: 'succeeded' });
   */
  async reportOutcome(id: string, report: ReportOutcome, options?: CallOptions): Promise<RecordedOutcome> {
    const path = `/v1/intents/${segment(id)}/outcome`;
    return this.#http.send({ method: 'POST', path, body: { ...report } }, options);
  }

  async #post(id: string, verb: string, body: object, options: CallOptions | undefined): Promise<Intent> {
    const path = `/v1/intents/${segment(id)}/${verb}`;
    return assertIntent(await this.#http.send({ method: 'POST', path, body }, options));
  }
}

function toBody({ params, metadata, ...rest }: CreateIntent<object, object>): object {
  return {
    ...rest,
    ...(params === undefined ? {} : { params: copyJson(params) }),
    ...(metadata === undefined ? {} : { metadata: copyJson(metadata, 'metadata') }),
  };
}

/** Surface B has no list of intents. Surface A calls the parameters `context`. */
interface SurfaceAList {
  intents: (Omit<IntentSummary, 'params'> & { context: JsonObject })[];
  next_cursor: string | null;
}

function toSummary({ context, ...rest }: SurfaceAList['intents'][number]): IntentSummary {
  return { ...rest, params: context };
}
