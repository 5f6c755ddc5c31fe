import type { FastifyRequest } from 'fastify';
import { assertScope } from '../../../gate/access/assert-scope.ts';
import type { Caller } from '../../../gate/access/caller.ts';
import { forbidden } from '../../../gate/access/forbidden.ts';
import { holdsScope, type Scope } from '../../../gate/access/scopes.ts';

/** Whether this credential may ask for this at all, whatever the resource. */
export function authorise(caller: Caller, scope: Scope): void {
  if (!holdsScope(caller, scope)) throw forbidden(scope, caller);
}

/** For paths below a project: what the caller does not see is as if it did not exist. */
export function authoriseInProject(caller: Caller, scope: Scope, request: FastifyRequest): void {
  authorise(caller, scope);
  assertScope(caller, scope, findProjectId(request) ?? '');
}

/** The project a path names, if it names one. */
export function findProjectId(request: FastifyRequest): string | undefined {
  if (!/^\/(?:v1|console)\/projects\//.test(request.url)) return undefined;
  const { id } = request.params as { id?: string };
  return id;
}

/** The intent a path names, if it names one. */
export function findIntentId(request: FastifyRequest): string | undefined {
  if (!/^\/(?:api|v1|console)\/intents\//.test(request.url)) return undefined;
  const { id } = request.params as { id?: string };
  return id;
}
