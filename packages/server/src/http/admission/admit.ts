/**
 * The steps before a body is read, in order: set the request id, identify the caller, count the request, check the
 * caller's rights.
 */
import type {
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  preValidationHookHandler,
} from 'fastify';
import type { AuthenticatedKey } from '../../gate/access/authenticate-key.ts';
import type { Caller, OperatorCaller } from '../../gate/access/caller.ts';
import { forbidden } from '../../gate/access/forbidden.ts';
import type { GateParts } from '../../open-gate.ts';
import type { Limits, RequestKind } from '../limits/limits.ts';
import { authenticate, authenticateAgain, countUnknown } from './authenticate.ts';
import { type EntryCheck, entryCheckOf, isOfConsole } from './entry-check.ts';
import { findProjectId } from './named-in-path.ts';
import { BRAKE_ROUTES, CORE_ROUTES, type RouteName } from './route-scopes.ts';
import { assertSameOrigin, isSafe } from './same-origin.ts';

export interface Admission {
  gate: GateParts;
  limits: Limits;
  /** Called for every valid use of a credential. Only records it, and never waits. */
  usage: { note(caller: Caller): void };
  /**
   * The caller of every request, in an app that nobody reaches over the network. Set by the code that creates the app;
   * no header can set it.
   */
  operator?: OperatorCaller;
}

/** The hook that admits requests to one route, created once when the route is registered. */
export function admitTo(
  route: RouteName,
  admission: Admission,
): onRequestHookHandler | onRequestAsyncHookHandler {
  const check = entryCheckOf(route);
  if (check === undefined) return admitAnybody(route, admission);
  if (admission.operator) return admitOperator(admission.operator, check);
  const enter = entrance(route, check, admission);
  const { gate, limits } = admission;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    let authenticated: AuthenticatedKey;
    try {
      authenticated = await authenticate(gate, request);
    } catch (error) {
      await countUnknown(limits, error, request, reply);
      throw error;
    }
    const entered = enter(authenticated, request, reply);
    if (entered) await entered;
  };
}

/**
 * Checks the credential again if the body was slow to arrive. A caller who was revoked, demoted or stopped meanwhile
 * must not act on earlier rights. Undefined for routes that require nothing of their caller.
 */
export function readmitTo(
  route: RouteName,
  { gate, operator }: Admission,
): preValidationHookHandler | undefined {
  const check = entryCheckOf(route);
  if (check === undefined || operator) return undefined;
  return (request, _reply, done) => {
    if (performance.now() - request.admittedAt < PROMPT_MS) {
      done();
      return;
    }
    authenticateAgain(gate, request)
      .then((caller) => check(caller, findProjectId(request)))
      .then(() => done(), done);
  };
}

/** Bodies usually arrive with the headers. Reading such a body takes far less time than this. */
const PROMPT_MS = 25;

/** The dashboard's own routes are only for browsers: other websites must not call a route that signs somebody in. */
function admitAnybody(route: RouteName, { gate, limits }: Admission): onRequestHookHandler {
  const ownOrigin = isOfConsole(route) ? new URL(gate.issuer).origin : null;
  return (request, reply, done) => {
    reply.header('x-request-id', request.id);
    limits.showAddress(reply, request.ip);
    if (ownOrigin === null) {
      done();
      return;
    }
    reply.header('cache-control', 'no-store');
    try {
      if (!isSafe(request.method)) assertSameOrigin(request, ownOrigin);
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}

/**
 * Authenticates nobody and counts nothing. The operator may only manage projects: operators speak for no agent and no
 * person, so they send no requests and decide none.
 */
function admitOperator(operator: OperatorCaller, check: EntryCheck): onRequestAsyncHookHandler {
  return async (request, reply) => {
    reply.header('x-request-id', request.id);
    request.caller = operator;
    const projectId = findProjectId(request);
    if (projectId === undefined) throw forbidden('session');
    check(operator, projectId);
  };
}

/**
 * A page that polls on its own says so in a header, because a session that nobody uses must end. A thief of the cookie
 * could omit the header, but could just as well use the session.
 */
function isUnattended(caller: Caller, request: FastifyRequest): boolean {
  return caller.kind === 'session' && request.headers['x-permitry-unattended'] !== undefined;
}

function kindOf(route: RouteName): RequestKind {
  if (CORE_ROUTES.has(route)) return 'core';
  return BRAKE_ROUTES.has(route) ? 'brake' : 'other';
}

function entrance(route: RouteName, check: EntryCheck, { gate, limits, usage }: Admission) {
  const kind = kindOf(route);
  const ownOrigin = new URL(gate.issuer).origin;
  return (
    authenticated: AuthenticatedKey,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void | Promise<void> => {
    const { caller } = authenticated;
    request.caller = caller;
    request.admittedAt = performance.now();
    if (!isUnattended(caller, request)) usage.note(caller);
    const projectId = findProjectId(request);
    const counted = limits.countRequest(reply, authenticated, kind, projectId);
    const enter = (): void => {
      if (caller.kind === 'session' && !isSafe(request.method)) assertSameOrigin(request, ownOrigin);
      check(caller, projectId);
    };
    return counted instanceof Promise ? counted.then(enter) : enter();
  };
}
