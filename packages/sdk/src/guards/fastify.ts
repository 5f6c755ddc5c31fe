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

/** What is used of a Fastify request. */
export interface FastifyRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
  params: unknown;
  query: unknown;
}

/** What is used of a Fastify reply. */
export interface FastifyReply {
  raw: NodeResponse;
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: unknown): unknown;
}

/**
 * A `preHandler` that lets a request through only with a permit for exactly this action and these parameters, and uses
 * the permit up; it runs behind the parser of the body and its validation. Answers and outcomes are those of the guard
 * for Express: 403, 400 or 503 as `{ "error": { "code", "message" } }`; `succeeded` below 400, `failed` from there on,
 * `unknown` where the connection was closed before the answer was through.
 *
 * @example
 * app.post('/refunds', {
 *   preHandler: permitGuard({ action: 'payments.refund', params: (request) => request.body }),
 *   handler: async (request) => refund(permitOf(request).params),
 * });
 */
export function permitGuard<Q extends FastifyRequest>(
  options: GuardOptions<Q>,
  // What a route takes there is a union of hooks and of lists of them, from which no request can be inferred.
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
