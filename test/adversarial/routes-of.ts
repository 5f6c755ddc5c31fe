/** Every route of the table that is not public, with its path filled in: a new route joins the attacks by itself. */
import type { PathParts } from '../../attack/tables/path-parts.ts';
import { ROUTE_ACCESS } from '../../packages/server/src/http/admission/route-scopes.ts';

export interface FilledRoute {
  /** As in the table, e.g. `POST /v1/intents/:id/approve`. */
  route: string;
  method: string;
  path: string;
}

export function routesOf(parts: PathParts): readonly FilledRoute[] {
  return Object.entries(ROUTE_ACCESS)
    .filter(([, access]) => access !== 'public')
    .map(([route]) => {
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern.replaceAll(/:\w+/g, (name) => fill(name, pattern, parts));
      // A stream that follows has no end to wait for.
      return { route, method, path: pattern.endsWith('/events') ? `${path}?follow=false` : path };
    });
}

function fill(name: string, pattern: string, parts: PathParts): string {
  switch (name) {
    case ':id':
      return /^\/(?:v1|console)\/projects\//.test(pattern) ? parts.project : parts.intent;
    case ':agent_id':
      return parts.agent;
    case ':key_id':
      return parts.key;
    case ':user_id':
      return parts.user;
    case ':name':
      return parts.group;
    case ':proposal_id':
      return parts.proposal;
    case ':connector':
      return 'mail';
    case ':webhook_id':
      return parts.webhook;
    case ':delivery_id':
      return parts.delivery;
    case ':upstream_id':
      return parts.upstream;
    case ':invitation_id':
      return 'inv_01hzzzzzzzzzzzzzzzzzzzzzzz';
    default:
      throw new Error(`${pattern} has a parameter nobody has told the attacks of: ${name}`);
  }
}
