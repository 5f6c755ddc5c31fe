/** The steps before a body is read, in their order: request id, who calls, how often, whether they may. */
import type { FastifyReply, FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify';
import type { AuthenticatedKey } from '../../gate/access/authenticate-key.ts';
import type { Caller } from '../../gate/access/caller.ts';
import type { Scope } from '../../gate/access/scopes.ts';
import type { Gate } from '../../gate/gate.ts';
import { authenticate, authenticateAgain } from './authenticate.ts';
import { authorise, authoriseInProject, findProjectId } from './authorise.ts';
import type { Limits } from './limits.ts';
import { CORE_ROUTES, ROUTE_ACCESS, type RouteName } from './route-scopes.ts';

export interface Admission {
  gate: Gate;
  limits: Limits;
  /** Told of every valid use of a credential; only remembers, never waits. */
  usage: { note(caller: Caller): void };
}

/** The hook that lets requests into one route, made once when the route is registered. */
export function admitTo(route: RouteName, admission: Admission): onRequestHookHandler {
  const access = ROUTE_ACCESS[route];
  if (access === 'public') {
    return (request, reply, done) => {
      reply.header('x-request-id', request.id);
      admission.limits.showAddress(reply, request.ip);
      done();
    };
  }
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
  const check = checkFor(route);
  return (request, _reply, done) => {
    if (performance.now() - request.admittedAt < PROMPT_MS) {
      done();
      return;
    }
    authenticateAgain(gate, request)
      .then((caller) => check(caller, access, request))
      .then(() => done(), done);
  };
}

/** Bodies usually come with the headers; this is far more than reading one takes. */
const PROMPT_MS = 25;

function checkFor(route: RouteName): typeof authoriseInProject {
  return route.includes(' /v1/projects/:id') ? authoriseInProject : authorise;
}

function entrance(route: RouteName, scope: Scope, { limits, usage }: Admission) {
  const core = CORE_ROUTES.has(route);
  const check = checkFor(route);
  return (authenticated: AuthenticatedKey, request: FastifyRequest, reply: FastifyReply): void => {
    const { caller } = authenticated;
    request.caller = caller;
    request.admittedAt = performance.now();
    usage.note(caller);
    limits.countRequest(reply, authenticated, core, findProjectId(request));
    check(caller, scope, request);
  };
}
