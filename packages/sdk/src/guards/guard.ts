/** Lets a request of an executor through only with a permit for exactly its action and parameters, and uses it up. */

import { copyJson } from '../calls/copy-json.ts';
import { repeatUnderKey } from '../calls/repeat-under-key.ts';
import type { JsonObject, Outcome, UsedPermit, VerifiedPermit, Verifier } from '../index.ts';
import { ConnectionError, Permitry } from '../index.ts';
import { readPermitHeaders } from './permit-headers.ts';
import { type GuardRefusal, refusal, refusalOf } from './refusals.ts';

/**
 * What a guard needs to know of a route.
 *
 * @typeParam Q The framework's own request (Hono: its context).
 */
export interface GuardOptions<Q> {
  /** The action the permit must be for; a function where it depends on the request. */
  action: string | ((request: Q) => string);
  /**
   * The parameters the permit must be for: exactly what the handler is going to do. Anything the handler acts on that
   * is left out here nobody approved. The handler finds them again, as they were checked, in `permitOf(request).params`.
   */
  params: (request: Q) => unknown;
  /** Where the permit is, when it comes neither as `Authorization: Permit …` nor in the header `permit`. */
  permit?: (request: Q) => string | undefined;
  /** Consumes at the gate. Left out: `new Permitry()`, which reads `PERMITRY_URL` and `PERMITRY_KEY` (a verifier key). */
  client?: Permitry;
  /**
   * Checks and uses permits without asking the gate, with its own replay store. Revocations, pauses and changes of
   * policy since the approval are not seen then, and no outcome is reported.
   */
  verifier?: Pick<Verifier, 'consume'>;
  /** Whether the outcome is told to the gate once the response has ended. Left out: true, where the gate was asked. */
  reportOutcome?: boolean;
  /** Told of what no answer says: a gate that cannot be asked, an outcome that could not be reported. Left out: `console.error`. */
  onError?: (error: unknown, request: Q) => void;
}

/** What a handler behind a guard may rely on. */
export interface AdmittedPermit {
  /** The intent this request carries out. */
  intent_id: string;
  action: string;
  /** As they were checked: a copy, not what the request holds by now. */
  params: JsonObject;
  /** What the gate said of the permit, or null where a verifier checked it. */
  verification: UsedPermit | null;
  /** What the offline verifier read, or null where the gate was asked. */
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

  /** Never throws for what a permit or the gate does; what `action`, `params` and `permit` throw goes to the framework. */
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

  /** An answer that was lost may have used the permit up: under the same key it comes again. Once: somebody waits. */
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
      // Nobody awaits a report, and a listener that fails must not end the program.
    }
  }
}

interface Presented {
  token: string;
  action: string;
  params: JsonObject;
}

/** A copy of its own, or the sentence that says why there is none. */
async function toParams(read: () => unknown): Promise<JsonObject | string> {
  let value: unknown;
  try {
    value = await read();
  } catch (error) {
    // Some frameworks parse the body only when it is asked for.
    if (error instanceof SyntaxError) return 'The body is not JSON.';
    throw error;
  }
  try {
    return copyJson(value as JsonObject);
  } catch (error) {
    if (error instanceof TypeError) return `What the permit must be for cannot be read: ${error.message}.`;
    throw error;
  }
}

function refused(answer: GuardRefusal): Admission {
  return { kind: 'refused', refusal: answer };
}

/** Of answers: below 400 the action succeeded, from there on it failed. */
export function outcomeOf(status: number): Outcome {
  return status < 400 ? 'succeeded' : 'failed';
}
