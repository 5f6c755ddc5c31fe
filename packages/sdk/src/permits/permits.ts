/** Owns what is asked of permits: `permitry.permits`. */
import type { JsonObject } from '@permitry/protocol';
import type { CallOptions } from '../calls/call-options.ts';
import { copyJson } from '../calls/copy-json.ts';
import { assertAnswer, type HttpClient } from '../calls/http-client.ts';
import { newIdempotencyKey } from '../calls/idempotency-key.ts';
import type { JsonParams } from '../wire/json-params.ts';
import type {
  PermitVerification,
  PresentedPermit,
  RevokedPermit,
  RevokePermit,
  UsedPermit,
} from '../wire/permit.ts';

/** Permits, held against what is about to be run. Every method throws `PermitryError` and `ConnectionError`. */
export class Permits {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Whether a permit authorises this action with these parameters now. It uses nothing up: whoever runs the action calls
   * `consume`.
   *
   * @throws PermitryError `permit_invalid` with `reason`. Every rejection means: do not run.
   * @example const { approved_by } = await permitry.permits.verify({ token, action: 'payments.refund', params });
   */
  async verify<P extends JsonParams<P> = JsonObject>(
    permit: PresentedPermit<P>,
    options?: CallOptions,
  ): Promise<PermitVerification> {
    const answer = await this.#validate(permit, false, options);
    assertAnswer(answer?.valid === true && answer.authorizes === true);
    return answer;
  }

  /**
   * The one use: among any number of callers exactly one gets an answer, and it may run the action, once, now. When the
   * answer is lost (`ConnectionError`), repeat the call with the error's `idempotencyKey`: it gives the same answer.
   *
   * @throws PermitryError `permit_invalid` with `reason` (`already_used`, `params_mismatch`, `revoked`, …). Every rejection
   * means: do not run.
   * @example
   * await permitry.permits.consume({ token, action: 'payments.refund', params });
   * await refund(params);
   */
  async consume<P extends JsonParams<P> = JsonObject>(
    permit: PresentedPermit<P>,
    options: CallOptions = {},
  ): Promise<UsedPermit> {
    const idempotencyKey = options.idempotencyKey ?? newIdempotencyKey();
    const answer = await this.#validate(permit, true, { ...options, idempotencyKey });
    // Whatever else answers 200 on the way is no permission.
    assertAnswer(
      answer?.valid === true && answer.authorizes === true && answer.consumed === true,
      idempotencyKey,
    );
    return answer as UsedPermit;
  }

  /**
   * Takes an approval back: every permit of the intent is refused from now on, and its receipt reads `revoked`.
   *
   * @throws PermitryError `forbidden`, `intent_not_found`
   * @example await permitry.permits.revoke({ intent_id, reason: 'Sent by mistake.' });
   */
  async revoke(target: RevokePermit, options?: CallOptions): Promise<RevokedPermit> {
    return this.#http.send({ method: 'POST', path: '/v1/permits/revoke', body: target }, options);
  }

  #validate(
    { token, action, params }: PresentedPermit<object>,
    consume: boolean,
    options: CallOptions | undefined,
  ): Promise<PermitVerification> {
    const body = { token, action, params: copyJson(params), ...(consume ? { consume } : {}) };
    return this.#http.send({ method: 'POST', path: '/v1/permits/validate', body }, options);
  }
}
