/** Owns the calls about permits: `permitry.permits`. */
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

/** Checks permits against what is about to run. Every method throws `PermitryError` and `ConnectionError`. */
export class Permits {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Verifies that a permit authorises this action with these parameters now. Does not use the permit: the executor
   * calls `consume`.
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
   * Uses the permit. Among any number of callers exactly one succeeds. That caller may now run the action once. If the
   * answer is lost (`ConnectionError`), retry with the error's `idempotencyKey`: you get the same answer.
   *
   * @throws PermitryError `permit_invalid` with `reason` (`already_used`, `params_mismatch`, `revoked`, …). Every
   * rejection means: do not run.
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
    // Another server's 200 is not a permission.
    assertAnswer(
      answer?.valid === true && answer.authorizes === true && answer.consumed === true,
      idempotencyKey,
    );
    return answer as UsedPermit;
  }

  /**
   * Revokes an approval. Every permit of the intent is refused from now on, and its receipt reads `revoked`.
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
