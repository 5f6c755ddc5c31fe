/** The steps before a body is read, in their order: request id, who calls, how often, whether they may. */
import type { FastifyReply, FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify';
import type { AuthenticatedKey } from '../../../gate/access/authenticate-key.ts';
import { type Caller, isReviewer } from '../../../gate/access/caller.ts';
import { forbidden } from '../../../gate/access/forbidden.ts';
import type { Gate } from '../../../gate/gate.ts';
import type { Limits, RequestKind } from '../limits/limits.ts';
import { authenticate, authenticateAgain } from './authenticate.ts';
import { authorise, authoriseInProject, findProjectId } from './authorise.ts';
import { BRAKE_ROUTES, CORE_ROUTES, ROUTE_ACCESS, type RouteAccess, type RouteName } from './route-scopes.ts';
import { assertSameOrigin, isSafe } from './same-origin.ts';

export interface Admission {
  gate: Gate;
  limits: Limits;
  /** Told of every valid use of a credential; only remembers, never waits. */
  usage: { note(caller: Caller): void };
}

/** The hook that lets requests into one route, made once when the route is registered. */
export function admitTo(route: RouteName, admission: Admission): onRequestHookHandler {
  const access = ROUTE_ACCESS[route];
  if (access === 'public') return admitAnybody(route, admission);
  const enter = entrance(route, access, admission);
  return (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    authenticate(admission.gate, admission.limits, request, reply)
      .then((authenticated) => enter(authenticated, request, reply))
      .then(() => done(), done);
  };
}

/**
 * Looks at the credential once more when the body was slow to come: whoever was revoked, demoted or stopped in the
 * meantime must not act on what held at the first byte. Undefined for routes that ask nothing of their caller.
 */
export function readmitTo(route: RouteName, { gate }: Admission): preValidationHookHandler | undefined {
  const access = ROUTE_ACCESS[route];
  if (access === 'public') return undefined;
  const check = checkFor(route, access);
  return (request, _reply, done) => {
    if (performance.now() - request.admittedAt < PROMPT_MS) {
      done();
      return;
    }
    authenticateAgain(gate, request)
      .then((caller) => check(caller, request))
      .then(() => done(), done);
  };
}

/** Bodies usually come with the headers; this is far more than reading one takes. */
const PROMPT_MS = 25;

/** The pages' own doors are for browsers alone: what signs somebody in there must not be asked for by other pages. */
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

function isOfConsole(route: RouteName): boolean {
  return route.includes(' /console/');
}

type Check = (caller: Caller, request: FastifyRequest) => void;

/** A person who is signed in sees that they have no project; a program of a person has to be one that may read. */
function admitReviewer(caller: Caller): void {
  if (!isReviewer(caller)) throw forbidden('session');
  if (caller.kind !== 'session') authorise(caller, 'intents:read');
}

function checkFor(route: RouteName, access: Exclude<RouteAccess, 'public'>): Check {
  const inProject = / \/(?:v1|console)\/projects\/:id/.test(route);
  if (access === 'reviewer') return admitReviewer;
  const onlySessions = access === 'session' || isOfConsole(route);
  return (caller, request) => {
    if (onlySessions && caller.kind !== 'session') throw forbidden('session');
    if (access === 'session') return;
    if (inProject) authoriseInProject(caller, access, request);
    else authorise(caller, access);
  };
}

/**
 * A page that is open and looks by itself what is new says so: a session that nobody uses is to end. Leaving the word
 * out gains whoever has the cookie no more than using it would.
 */
function isUnattended(caller: Caller, request: FastifyRequest): boolean {
  return caller.kind === 'session' && request.headers['x-permitry-unattended'] !== undefined;
}

function kindOf(route: RouteName): RequestKind {
  if (CORE_ROUTES.has(route)) return 'core';
  return BRAKE_ROUTES.has(route) ? 'brake' : 'other';
}

function entrance(
  route: RouteName,
  access: Exclude<RouteAccess, 'public'>,
  { gate, limits, usage }: Admission,
) {
  const kind = kindOf(route);
  const check = checkFor(route, access);
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
    const counted = limits.countRequest(reply, authenticated, kind, findProjectId(request));
    const enter = (): void => {
      if (caller.kind === 'session' && !isSafe(request.method)) assertSameOrigin(request, ownOrigin);
      check(caller, request);
    };
    return counted instanceof Promise ? counted.then(enter) : enter();
  };
}
