/** Decides who is admitted to a route at all, before its body is read. The content of the request is checked later. */
import { assertScope } from '../../gate/access/assert-scope.ts';
import { type Caller, isReviewer } from '../../gate/access/caller.ts';
import { forbidden } from '../../gate/access/forbidden.ts';
import { holdsScope, type Scope } from '../../gate/access/scopes.ts';
import { ROUTE_ACCESS, type RouteName } from './route-scopes.ts';

/** Throws GateError `forbidden`, and `project_not_found` for a project that the caller cannot see. */
export type EntryCheck = (caller: Caller, projectId: string | undefined) => void;

/**
 * The check of one route, created once when the route is registered. Undefined for a public one.
 *
 * @example entryCheckOf('POST /v1/projects/:id/stop')?.(caller, 'prj_…')
 */
export function entryCheckOf(route: RouteName): EntryCheck | undefined {
  const access = ROUTE_ACCESS[route];
  if (access === 'public') return undefined;
  if (access === 'reviewer') return admitReviewer;
  if (access === 'session') return admitSession;
  const inProject = / \/(?:v1|console)\/projects\/:id/.test(route);
  const onlySessions = isOfConsole(route);
  return (caller, projectId) => {
    if (onlySessions) admitSession(caller);
    authorise(caller, access);
    // For paths below a project: one that the caller cannot see looks as if it did not exist.
    if (inProject) assertScope(caller, access, projectId ?? '');
  };
}

/** The dashboard's own routes. */
export function isOfConsole(route: RouteName): boolean {
  return route.includes(' /console/');
}

function admitSession(caller: Caller): void {
  if (caller.kind !== 'session') throw forbidden('session');
}

/** Admits a person who is signed in even if they have no project. A person's program must have the right to read. */
function admitReviewer(caller: Caller): void {
  if (!isReviewer(caller)) throw forbidden('session');
  if (caller.kind !== 'session') authorise(caller, 'intents:read');
}

/** Checks that this credential has the scope, whatever the resource. */
function authorise(caller: Caller, scope: Scope): void {
  if (!holdsScope(caller, scope)) throw forbidden(scope, caller);
}
