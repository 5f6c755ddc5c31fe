/**
 * A guard for routes of Express (4 and 5), and of any framework that takes Connect middleware.
 *
 * @module
 */
import { rememberAdmitted } from './admitted.ts';
import { Guard, type GuardOptions } from './guard.ts';
import { type NodeResponse, whenEnded } from './node-response.ts';

export { permitOf } from './admitted.ts';
export type { AdmittedPermit, GuardOptions } from './guard.ts';
export type { GuardRefusal, GuardRefusalCode } from './refusals.ts';

/** The part of an Express request that the guard uses. */
export interface ExpressRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body?: unknown;
  params: unknown;
  query: unknown;
}

/** The part of an Express response that the guard uses. */
export interface ExpressResponse extends NodeResponse {
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/**
 * Middleware that admits a request only with a permit for exactly this action and these parameters, and uses the
 * permit. Put it after the body parser. It refuses with `{ "error": { "code", "message" } }` and one of three statuses.
 * 403: `permit_required`, or `permit_refused` with `reason`. 400: `invalid_request`, or a token that is not a permit.
 * 503: `gate_unavailable`.
 *
 * When the response ends, it reports the outcome: `succeeded` below 400 and `failed` otherwise. The outcome is
 * `unknown` if the connection closed before that.
 *
 * @example
 * app.post('/refunds', express.json(), permitGuard({ action: 'payments.refund', params: (req) => req.body }), (req, res) => {
 *   res.json(refund(permitOf(req).params));
 * });
 */
export function permitGuard<Q extends ExpressRequest>(
  options: GuardOptions<Q>,
): (request: Q, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void> {
  const guard = new Guard(options);
  return async (request, response, next) => {
    let admission: Awaited<ReturnType<typeof guard.admit>>;
    try {
      admission = await guard.admit(request, (name) => {
        const value = request.headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      });
    } catch (error) {
      next(error);
      return;
    }
    if (admission.kind === 'refused') {
      const { status, headers, body } = admission.refusal;
      response.statusCode = status;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.end(JSON.stringify(body));
      return;
    }
    const { permit, report } = admission;
    rememberAdmitted(request, permit);
    whenEnded(response, report);
    next();
  };
}
