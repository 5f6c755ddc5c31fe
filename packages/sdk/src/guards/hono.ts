/**
 * A guard for routes of Hono, on Node and on edge runtimes.
 *
 * @module
 */
import { rememberAdmitted } from './admitted.ts';
import { Guard, type GuardOptions, outcomeOf } from './guard.ts';

export { permitOf } from './admitted.ts';
export type { AdmittedPermit, GuardOptions } from './guard.ts';
export type { GuardRefusal, GuardRefusalCode } from './refusals.ts';

/** The part of a Hono context that the guard uses. */
export interface HonoContext {
  req: {
    header(name: string): string | undefined;
    json(): Promise<unknown>;
    param(): Record<string, string>;
    query(): Record<string, string>;
  };
  res: { status: number };
}

/**
 * Middleware that admits a request only with a permit for exactly this action and these parameters, and uses the
 * permit. `params` may be asynchronous: `(c) => c.req.json()`. Answers are those of the Express guard. It reports the
 * outcome when the handler is done: `succeeded` below 400 and `failed` otherwise. It does not wait for what the handler
 * still streams. If the runtime has `waitUntil`, the guard passes it the report.
 *
 * @example
 * app.post('/refunds', permitGuard({ action: 'payments.refund', params: (c) => c.req.json() }), (c) =>
 *   c.json(refund(permitOf(c).params)),
 * );
 */
export function permitGuard<C extends HonoContext>(
  options: GuardOptions<C>,
): (context: C, next: () => Promise<void>) => Promise<Response | undefined> {
  const guard = new Guard(options);
  return async (context, next) => {
    const admission = await guard.admit(context, (name) => context.req.header(name));
    if (admission.kind === 'refused') {
      const { status, headers, body } = admission.refusal;
      return new Response(JSON.stringify(body), { status, headers });
    }
    const { permit, report } = admission;
    rememberAdmitted(context, permit);
    try {
      await next();
    } catch (error) {
      keepAlive(context, report('failed'));
      throw error;
    }
    keepAlive(context, report(outcomeOf(context.res.status)));
    return undefined;
  };
}

/** Reading `executionCtx` throws on runtimes that lack it. Their process stays alive without `waitUntil`. */
function keepAlive(context: object, work: Promise<void>): void {
  try {
    (context as { executionCtx?: { waitUntil(work: Promise<unknown>): void } }).executionCtx?.waitUntil(work);
  } catch {
    // Node, Bun and Deno have no `executionCtx`.
  }
}
