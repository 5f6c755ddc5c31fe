/** Writes every refusal and failure of both surfaces. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Refusals } from '../../gate/intents/refusals.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { findIntentId, findProjectId } from '../admission/named-in-path.ts';
import type { Limits } from '../limits/limits.ts';
import { toErrorAnswer } from './error-answer.ts';
import { type ErrorTables, errorTableFor } from './error-table.ts';
import { NO_SUCH_PATH, toGateError } from './framework-errors.ts';
import { type FramingProblem, findFramingProblem } from './framing-problem.ts';

export interface ErrorHandling {
  tables: ErrorTables;
  limits: Limits;
  logger: Logger;
  refusals: Refusals;
}

export function handleErrors(app: FastifyInstance, handling: ErrorHandling): void {
  app.setErrorHandler((error, request, reply) => answerError(handling, error, request, reply));
  // Runs before any part of the request is trusted, because a proxy in front may have read a different request. Later
  // bytes on the connection may belong to that request, so they are refused too.
  const misframed = new WeakMap<object, FramingProblem>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const problem = misframed.get(socket) ?? findFramingProblem(request.raw);
    if (problem) {
      misframed.set(socket, problem);
      answerMisframed(handling, problem, request, reply);
    } else done();
  });
  // Runs before the body is parsed. A request for an unknown path is not authenticated, and must cost no parsing.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answerUnrouted(handling, notFound(), request, reply);
    else done();
  });
  app.setNotFoundHandler((request, reply) => answerUnrouted(handling, notFound(), request, reply));
}

function notFound(): GateError {
  return new GateError('not_found', NO_SUCH_PATH, {});
}

/** For errors before any route was found, when the shared steps have not run. */
export function answerUnrouted(
  handling: ErrorHandling,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  handling.limits.showAddress(reply, request.ip);
  return writeError(handling, toGateError(error), request, reply);
}

/** Closes the connection, because it is unknown where the next request begins. */
function answerMisframed(
  handling: ErrorHandling,
  { message, status }: FramingProblem,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  handling.limits.showAddress(reply, request.ip);
  const refusal = new GateError('invalid_fields', message, { fields: [{ path: '', message }] });
  writeError(handling, refusal, request, reply.header('connection', 'close'), status);
}

async function answerError(
  handling: ErrorHandling,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const error = toGateError(thrown);
  if (error.code === 'forbidden') await recordRefusal(handling, error, request);
  return writeError(handling, error, request, reply);
}

/** Runs before the answer, so that anyone who sees the answer can find the refusal in the audit log. */
async function recordRefusal(
  handling: ErrorHandling,
  error: GateError,
  request: FastifyRequest,
): Promise<void> {
  if (!request.caller) return;
  const required = 'required' in error.details ? error.details.required : undefined;
  const projectId = findProjectId(request);
  const intentId = findIntentId(request);
  try {
    await handling.refusals.record(request.caller, {
      route: routeOf(request),
      ...onlyGiven({ required, projectId, intentId }),
    });
  } catch (cause) {
    // The refusal remains even if it cannot be recorded.
    handling.logger.warn({ err: cause, request_id: request.id }, 'a refusal could not be recorded');
  }
}

function writeError(
  handling: ErrorHandling,
  error: GateError,
  request: FastifyRequest,
  reply: FastifyReply,
  otherStatus?: number,
): FastifyReply {
  const answer = toErrorAnswer(error, errorTableFor(handling.tables, request.url), request.id);
  const status = otherStatus ?? answer.status;
  logRefusal(handling.logger, error, status, request);
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
  if (answer.retryAfterSeconds !== null) reply.header('retry-after', answer.retryAfterSeconds);
  // The framework would close the connection here. Data still in transit would then reset it, and the sender might
  // never read the reason. So the rest is read and dropped, as after any other early answer, for as long as a request
  // may take to arrive.
  if (error.code === 'payload_too_large') reply.removeHeader('connection');
  if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer realm="permitry"');
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

function logRefusal(logger: Logger, error: GateError, status: number, request: FastifyRequest): void {
  const line = {
    request_id: request.id,
    method: request.method,
    route: routeOf(request),
    status,
    code: error.code,
    ...(request.caller ? { credential: request.caller.credentialId } : {}),
  };
  if (status < 500) logger.info(line, error.message);
  // During an outage, every request logs this. So the line has no stack: the message of the cause says enough.
  else if (error.code === 'service_unavailable') {
    const { cause } = error;
    logger.error({ ...line, ...(cause instanceof Error ? { cause: cause.message } : {}) }, error.message);
  } else logger.error({ ...line, err: error.cause ?? error }, error.message);
}

/** The route's pattern, not the path, because a path may contain anything. */
function routeOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions.url ?? '(no route)'}`;
}
