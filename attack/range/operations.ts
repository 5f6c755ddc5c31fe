/** The operations in the gate's OpenAPI document, with their paths filled in. */
import type { PathParts } from '../tables/path-parts.ts';
import { UsageError } from '../usage-error.ts';
import type { HttpClient } from './http-client.ts';

export interface Operation {
  /** As in the rest of the code, e.g. `POST /v1/intents/:id/approve`. */
  route: string;
  method: string;
  /** The path with its parameters in braces. */
  pattern: string;
  isPublic: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export async function readOperations(client: HttpClient): Promise<readonly Operation[]> {
  const { status, body } = await client.call('GET', '/openapi.json');
  const paths = body.paths as Record<string, Record<string, { security?: unknown[] }>> | undefined;
  if (status !== 200 || paths === undefined)
    throw new UsageError('The gate publishes no /openapi.json, from which the attacks learn its operations.');
  return Object.entries(paths).flatMap(([pattern, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({
        route: `${method.toUpperCase()} ${pattern.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        method: method.toUpperCase(),
        pattern,
        isPublic: operation.security?.length === 0,
      })),
  );
}

/** The path of an operation, for these things. */
export function fillPath({ pattern }: Operation, parts: PathParts): string {
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    switch (name) {
      case 'id':
        return /^\/(v1|console)\/projects\//.test(pattern) ? parts.project : parts.intent;
      case 'agent_id':
        return parts.agent;
      case 'key_id':
        return parts.key;
      case 'user_id':
        return parts.user;
      case 'name':
        return parts.group;
      case 'proposal_id':
        return parts.proposal;
      case 'webhook_id':
        return parts.webhook;
      case 'delivery_id':
        return parts.delivery;
      case 'upstream_id':
        return parts.upstream;
      case 'connector':
        return 'mail';
      case 'invitation_id':
        return 'inv_01hzzzzzzzzzzzzzzzzzzzzzzz';
      // For future operations: the gate refuses callers without the right before it looks up the IDs in the path.
      default:
        return 'unknown';
    }
  });
  // A following stream never ends. Do not wait for the end if a gate wrongly accepts the caller.
  return pattern.endsWith('/events') ? `${path}?follow=false` : path;
}
