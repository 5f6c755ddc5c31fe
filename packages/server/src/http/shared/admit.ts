/** The steps before a body is read, in their order: request id, who calls, how often, whether they may. */
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { AuthenticatedKey } from '../../gate/access/authenticate-key.ts';
import type { Caller } from '../../gate/access/caller.ts';
import type { Scope } from '../../gate/access/scopes.ts';
import type { Gate } from '../../gate/gate.ts';
import { authenticate } from './authenticate.ts';
import { authorise, authoriseInProject } from './authorise.ts';
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

function entrance(route: RouteName, scope: Scope, { limits, usage }: Admission) {
  const core = CORE_ROUTES.has(route);
  const check = route.includes(' /v1/projects/:id') ? authoriseInProject : authorise;
  return (authenticated: AuthenticatedKey, request: FastifyRequest, reply: FastifyReply): void => {
    const { caller } = authenticated;
    request.caller = caller;
    usage.note(caller);
    limits.countRequest(reply, authenticated, core);
    check(caller, scope, request);
  };
}
