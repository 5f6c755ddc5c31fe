/** One line per request, for operators who enable it: who did what and the result, never the content. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Caller } from '../../gate/access/caller.ts';
import { findIntentId, findProjectId } from '../admission/named-in-path.ts';

/** `with_addresses`: includes the clients' addresses, which are personal data. */
export type AccessLog = 'off' | 'on' | 'with_addresses';

/** A path may contain anything, even a key. Only values with the form of an id are logged. */
const ID = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/;
/** Load balancers call these every second. They would fill most of the log, and a success is no news. */
const HEALTH_CHECKS: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);
/** Answers with an intent begin with its id. */
const NEW_INTENT = /^\{"id":"(int_[0-9a-hjkmnp-tv-z]{26})"/;

declare module 'fastify' {
  interface FastifyRequest {
    /** The intent that the answer is about, if the path names none. */
    answeredIntent: string | null;
  }
}

/**
 * Writes a line when the last byte of an answer is sent, or its client has gone (`cut`). Fields: `request_id`,
 * `method`, `route` (the pattern), `status`, `ms`, `bytes`, `credential`, `caller`, `project`, `intent`, `address`,
 * `trace`.
 *
 * @param traceOf Id of the request's trace, if any.
 */
export function writeAccessLog(
  app: FastifyInstance,
  logger: Logger,
  kind: AccessLog,
  traceOf: (request: FastifyRequest) => string | undefined = () => undefined,
): void {
  if (kind === 'off') return;
  app.decorateRequest('answeredIntent', null);
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.method === 'POST' && typeof payload === 'string') {
      request.answeredIntent = NEW_INTENT.exec(payload)?.[1] ?? null;
    }
    done(null, payload);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const before = socket?.bytesWritten ?? 0;
    const begun = performance.now();
    reply.raw.once('close', () => {
      if (HEALTH_CHECKS.has(request.routeOptions.url) && reply.statusCode === 200) return;
      const trace = traceOf(request);
      logger.info(
        {
          request_id: request.id,
          method: request.method,
          route: request.routeOptions.url ?? '(no route)',
          status: reply.statusCode,
          ms: Math.round((performance.now() - begun) * 100) / 100,
          bytes: sizeOf(reply) ?? (socket?.bytesWritten ?? 0) - before,
          ...callerOf(request.caller),
          ...idsOf(request),
          ...(kind === 'with_addresses' ? { address: request.ip } : {}),
          ...(trace === undefined ? {} : { trace }),
          ...(wasCut(reply) ? { cut: true } : {}),
        },
        'request',
      );
    });
    done();
  });
}

function wasCut({ raw }: FastifyReply): boolean {
  return !raw.writableEnded || (raw.socket?.destroyed === true && !raw.writableFinished);
}

/** Size of the body. Undefined for a stream. */
function sizeOf(reply: FastifyReply): number | undefined {
  const length = reply.getHeader('content-length');
  return length === undefined ? undefined : Number(length);
}

function callerOf(caller: Caller | null): object {
  if (caller === null) return {};
  return { credential: caller.credentialId, caller: caller.kind };
}

function idsOf(request: FastifyRequest): object {
  const { caller } = request;
  const project = caller && 'projectId' in caller ? caller.projectId : findProjectId(request);
  const intent = findIntentId(request) ?? request.answeredIntent ?? undefined;
  return {
    ...(project !== undefined && ID.test(project) ? { project } : {}),
    ...(intent !== undefined && ID.test(intent) ? { intent } : {}),
  };
}
