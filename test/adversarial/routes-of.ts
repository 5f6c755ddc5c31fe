/**
 * Every route of the table, including those that the gate does not publish, such as the dashboard's. A new route joins
 * the attacks automatically.
 */
import { fillPath, type Operation } from '../../attack/range/operations.ts';
import type { PathParts } from '../../attack/tables/path-parts.ts';
import { ROUTE_ACCESS } from '../../packages/server/src/http/admission/route-scopes.ts';

export const OPERATIONS: readonly Operation[] = Object.entries(ROUTE_ACCESS).map(([route, access]) => {
  const [method = '', path = ''] = route.split(' ');
  const pattern = path.replaceAll(/:(\w+)/g, '{$1}');
  return { route, method, pattern, isPublic: access === 'public' };
});

export interface FilledRoute {
  /** As in the table, e.g. `POST /v1/intents/:id/approve`. */
  route: string;
  method: string;
  path: string;
}

/** All routes that are not public, with their paths filled in. */
export function routesOf(parts: PathParts): readonly FilledRoute[] {
  return OPERATIONS.filter(({ isPublic }) => !isPublic).map((operation) => {
    const path = fillPath(operation, parts);
    if (path.includes('unknown'))
      throw new Error(`${operation.route} has a parameter nobody told the attacks of`);
    return { route: operation.route, method: operation.method, path };
  });
}
