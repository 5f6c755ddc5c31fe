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

/** What is used of a Hono context. */
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
 * Middleware that lets a request through only with a permit for exactly this action and these parameters, and uses the
 * permit up. `params` may be asynchronous: `(c) => c.req.json()`. Answers are those of the guard for Express. The
 * outcome is reported when the handler is done (`succeeded` below 400, `failed` from there on); what it still streams
 * then is not waited for. Where the runtime has `waitUntil`, it is told of the report.
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

/** Asking for `executionCtx` throws where there is none; there the process lives on by itself. */
function keepAlive(context: object, work: Promise<void>): void {
  try {
    (context as { executionCtx?: { waitUntil(work: Promise<unknown>): void } }).executionCtx?.waitUntil(work);
  } catch {
    // Node, Bun, Deno.
  }
}
