/**
 * A guard for routes of Fastify, as a `preHandler`.
 *
 * @module
 */
import { rememberAdmitted } from './admitted.ts';
import { Guard, type GuardOptions } from './guard.ts';
import { type NodeResponse, whenEnded } from './node-response.ts';

export { permitOf } from './admitted.ts';
export type { AdmittedPermit, GuardOptions } from './guard.ts';
export type { GuardRefusal, GuardRefusalCode } from './refusals.ts';

/** The part of a Fastify request that the guard uses. */
export interface FastifyRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
  params: unknown;
  query: unknown;
}

/** The part of a Fastify reply that the guard uses. */
export interface FastifyReply {
  raw: NodeResponse;
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: unknown): unknown;
}

/**
 * A `preHandler` that admits a request only with a permit for exactly this action and these parameters, and uses the
 * permit. It runs after the body parser and the validation. Answers and outcomes are those of the Express guard: 403,
 * 400 or 503 with `{ "error": { "code", "message" } }`. The outcome is `succeeded` below 400 and `failed` otherwise. It
 * is `unknown` if the connection closed before the answer was sent completely.
 *
 * @example
 * app.post('/refunds', {
 *   preHandler: permitGuard({ action: 'payments.refund', params: (request) => request.body }),
 *   handler: async (request) => refund(permitOf(request).params),
 * });
 */
export function permitGuard<Q extends FastifyRequest>(
  options: GuardOptions<Q>,
  // A route accepts a union of hooks and lists of hooks here, from which TypeScript cannot infer the request.
): (request: NoInfer<Q>, reply: FastifyReply) => Promise<unknown> {
  const guard = new Guard(options);
  return async (request, reply) => {
    const admission = await guard.admit(request, (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    });
    if (admission.kind === 'refused') {
      const { status, headers, body } = admission.refusal;
      reply.code(status);
      reply.headers({ ...headers });
      return reply.send(body);
    }
    const { permit, report } = admission;
    rememberAdmitted(request, permit);
    whenEnded(reply.raw, report);
    return undefined;
  };
}
