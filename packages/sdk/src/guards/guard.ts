/** Admits an executor's request only with a permit for exactly its action and parameters, and uses the permit. */

import { copyJson } from '../calls/copy-json.ts';
import { repeatUnderKey } from '../calls/repeat-under-key.ts';
import type { JsonObject, Outcome, UsedPermit, VerifiedPermit, Verifier } from '../index.ts';
import { ConnectionError, Permitry } from '../index.ts';
import { readPermitHeaders } from './permit-headers.ts';
import { type GuardRefusal, refusal, refusalOf } from './refusals.ts';

/**
 * How a guard protects a route.
 *
 * @typeParam Q The framework's own request (Hono: its context).
 */
export interface GuardOptions<Q> {
  /** The action that the permit must be for. A function if it depends on the request. */
  action: string | ((request: Q) => string);
  /**
   * The parameters that the permit must be for: exactly what the handler is going to do. If you omit anything here that
   * the handler acts on, nobody has approved it. The handler finds them again, as checked, in
   * `permitOf(request).params`.
   */
  params: (request: Q) => unknown;
  /** Where the permit is, if it comes neither as `Authorization: Permit …` nor in the header `permit`. */
  permit?: (request: Q) => string | undefined;
  /**
   * Consumes at the gate. Default: `new Permitry()`, which reads `PERMITRY_URL` and `PERMITRY_KEY` (a verifier key).
   */
  client?: Permitry;
  /**
   * Verifies and uses permits without the gate, with its own replay store. It does not see revocations, paused agents
   * or policy changes since the approval, and reports no outcome.
   */
  verifier?: Pick<Verifier, 'consume'>;
  /**
   * Whether to report the outcome to the gate when the response ends. Default: true when the permit was used at the
   * gate.
   */
  reportOutcome?: boolean;
  /**
   * Receives problems that no answer reports: the gate is unavailable, or an outcome could not be reported. Default:
   * `console.error`.
   */
  onError?: (error: unknown, request: Q) => void;
}

/** Facts that a handler behind a guard may rely on. */
export interface AdmittedPermit {
  /** The intent that this request carries out. */
  intent_id: string;
  action: string;
  /** A copy of the parameters as checked, not what the request holds now. */
  params: JsonObject;
  /** The gate's verification of the permit, or null when an offline verifier checked it. */
  verification: UsedPermit | null;
  /** What the offline verifier read, or null when the gate verified the permit. */
  permit: VerifiedPermit | null;
}

export type Admission =
  | { kind: 'admitted'; permit: AdmittedPermit; report(outcome: Outcome): Promise<void> }
  | { kind: 'refused'; refusal: GuardRefusal };

export type Header = (name: string) => string | undefined;

export class Guard<Q extends object> {
  readonly #options: GuardOptions<Q>;
  readonly #client: Permitry | undefined;

  constructor(options: GuardOptions<Q>) {
    this.#options = options;
    this.#client = options.verifier === undefined ? (options.client ?? new Permitry()) : options.client;
  }

  /** Never throws because of the permit or the gate. Errors of `action`, `params` and `permit` go to the framework. */
  async admit(request: Q, header: Header): Promise<Admission> {
    const { action: named, permit: find, params: read } = this.#options;
    const action = typeof named === 'string' ? named : named(request);
    const presented = find ? { token: find(request) } : readPermitHeaders(header);
    if ('problem' in presented) return refused(refusal('invalid_request', presented.problem));
    const { token } = presented;
    if (token === undefined || token === '')
      return refused(refusal('permit_required', undefined, { action }));
    const params = await toParams(() => read(request));
    if (typeof params === 'string') return refused(refusal('invalid_request', params));
    return this.#use({ token, action, params }, request);
  }

  async #use(presented: Presented, request: Q): Promise<Admission> {
    try {
      const permit = await this.#consume(presented);
      return { kind: 'admitted', permit, report: (outcome) => this.#report(permit, outcome, request) };
    } catch (error) {
      const answer = refusalOf(error);
      if (answer.status === 503) this.#tell(error, request);
      return refused(answer);
    }
  }

  async #consume({ token, action, params }: Presented): Promise<AdmittedPermit> {
    const { verifier } = this.#options;
    if (verifier) {
      const permit = await verifier.consume({ token, action, params });
      return { intent_id: permit.intent_id, action, params, verification: null, permit };
    }
    const verification = await this.#consumeOnline({ token, action, params });
    return { intent_id: verification.intent_id, action, params, verification, permit: null };
  }

  /**
   * If the answer was lost, the permit may be used. A retry under the same key returns that answer. There is only one
   * retry, because the client waits.
   */
  async #consumeOnline(presented: Presented): Promise<UsedPermit> {
    const { permits } = this.#client as Permitry;
    try {
      return await permits.consume(presented);
    } catch (error) {
      if (!(error instanceof ConnectionError) || !error.isSent || error.idempotencyKey === null) throw error;
      return permits.consume(presented, { idempotencyKey: error.idempotencyKey });
    }
  }

  async #report({ intent_id, verification }: AdmittedPermit, outcome: Outcome, request: Q): Promise<void> {
    if (verification === null || this.#options.reportOutcome === false) return;
    try {
      await repeatUnderKey(async (idempotencyKey) =>
        this.#client?.intents.reportOutcome(intent_id, { outcome }, { idempotencyKey }),
      );
    } catch (error) {
      this.#tell(error, request);
    }
  }

  #tell(error: unknown, request: Q): void {
    const { onError } = this.#options;
    try {
      if (onError) onError(error, request);
      else console.error('permitry guard:', error);
    } catch {
      // Nobody awaits the report, and a listener that throws must not end the program.
    }
  }
}

interface Presented {
  token: string;
  action: string;
  params: JsonObject;
}

/** A separate copy of the parameters, or the sentence that says why there is none. */
async function toParams(read: () => unknown): Promise<JsonObject | string> {
  let value: unknown;
  try {
    value = await read();
  } catch (error) {
    // Some frameworks parse the body only when the handler reads it.
    if (error instanceof SyntaxError) return 'The body is not JSON.';
    throw error;
  }
  try {
    return copyJson(value as JsonObject);
  } catch (error) {
    if (error instanceof TypeError)
      return `The action and parameters to verify could not be read: ${error.message}.`;
    throw error;
  }
}

function refused(answer: GuardRefusal): Admission {
  return { kind: 'refused', refusal: answer };
}

/** The outcome by status: below 400 the action succeeded, otherwise it failed. */
export function outcomeOf(status: number): Outcome {
  return status < 400 ? 'succeeded' : 'failed';
}
