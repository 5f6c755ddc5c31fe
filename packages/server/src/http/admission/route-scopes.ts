/**
 * What every route requires of its caller. Denied by default: the gate refuses to start if a route has no line here,
 * and a test fails if a line has no route.
 */
import type { Scope } from '../../gate/access/scopes.ts';

/**
 * `session`: any person who is signed in; the operation checks what they may see or do. `reviewer`: also credentials
 * that read in a person's name, their user tokens and secret keys; never an agent or an executor.
 */
export type RouteAccess = Scope | 'public' | 'session' | 'reviewer';

export const ROUTE_ACCESS = {
  'POST /api/intents': 'intents:create',
  'GET /api/intents': 'intents:read',
  'GET /api/intents/:id': 'intents:read',
  'PATCH /api/intents/:id': 'intents:decide',
  'POST /api/intents/permit/verify': 'permits:verify',
  'GET /api/mcp-gateway': 'intents:create',
  'POST /api/mcp-gateway': 'intents:create',
  // A person proves their presence: at a browser, or at a terminal with their program.
  'POST /api/verify/proof': 'intents:prove',

  'POST /v1/intents': 'intents:create',
  'GET /v1/intents/:id': 'intents:read',
  'POST /v1/intents/:id/approve': 'intents:decide',
  'POST /v1/intents/:id/deny': 'intents:decide',
  'POST /v1/intents/:id/withdraw': 'intents:create',
  'POST /v1/intents/:id/ask-again': 'intents:create',
  'POST /v1/intents/:id/permit': 'intents:redeem',
  'POST /v1/intents/:id/outcome': 'outcomes:report',
  'POST /v1/permits/validate': 'permits:verify',
  'POST /v1/permits/revoke': 'permits:revoke',
  'POST /v1/permits/introspect': 'permits:verify',
  'GET /v1/status/:list': 'public',
  // For a program that has no key yet. The person who confirms the pairing is signed in.
  'POST /v1/pairings': 'public',
  'POST /v1/pairings/poll': 'public',

  'GET /v1/me': 'project:read',
  // Only for a user token, which can revoke only itself.
  'POST /v1/me/revoke': 'reviewer',
  'GET /v1/projects/:id': 'project:read',
  'GET /v1/projects/:id/public-key': 'project:read',
  'GET /v1/projects/:id/signing-keys': 'project:read',
  'GET /v1/projects/:id/signing-keys/receipts': 'audit:read',
  'GET /v1/projects/:id/audit': 'audit:read',
  'GET /v1/projects/:id/audit/verify': 'audit:read',
  'GET /v1/projects/:id/audit/export': 'audit:read',
  'GET /v1/projects/:id/events': 'audit:read',
  // These records contain the arguments of all agents.
  'GET /v1/projects/:id/mock-connectors/:connector': 'audit:read',
  'GET /v1/projects/:id/policies': 'policies:read',
  'PUT /v1/projects/:id/policies': 'policies:write',
  'GET /v1/projects/:id/policies/versions': 'policies:read',
  'POST /v1/projects/:id/policies/simulate': 'policies:simulate',
  'POST /v1/projects/:id/policies/check': 'policies:simulate',
  'POST /v1/projects/:id/policies/explain': 'policies:simulate',
  'GET /v1/projects/:id/policies/proposals': 'policies:read',
  'POST /v1/projects/:id/policies/proposals': 'policies:write',
  'GET /v1/projects/:id/policies/proposals/:proposal_id': 'policies:read',
  'POST /v1/projects/:id/policies/proposals/:proposal_id/approve': 'policies:write',
  'POST /v1/projects/:id/policies/proposals/:proposal_id/reject': 'policies:write',
  'POST /v1/projects/:id/policies/proposals/:proposal_id/withdraw': 'policies:write',
  'PUT /v1/projects/:id/policies/second-person': 'policies:write',
  'GET /v1/projects/:id/policies/shadow': 'policies:read',
  'PUT /v1/projects/:id/policies/shadow': 'policies:write',
  'DELETE /v1/projects/:id/policies/shadow': 'policies:write',
  'GET /v1/projects/:id/policies/shadow/divergences': 'policies:read',
  'POST /v1/projects/:id/agents': 'agents:write',
  'GET /v1/projects/:id/agents': 'agents:read',
  'GET /v1/projects/:id/agents/:agent_id': 'agents:read',
  'PATCH /v1/projects/:id/agents/:agent_id': 'agents:write',
  'POST /v1/projects/:id/agents/:agent_id/pause': 'agents:stop',
  'POST /v1/projects/:id/agents/:agent_id/resume': 'agents:write',
  'POST /v1/projects/:id/agents/:agent_id/revoke': 'agents:stop',
  'POST /v1/projects/:id/keys': 'keys:write',
  'GET /v1/projects/:id/keys': 'keys:read',
  'POST /v1/projects/:id/keys/:key_id/revoke': 'keys:write',
  'GET /v1/projects/:id/members': 'members:read',
  'POST /v1/projects/:id/members': 'members:write',
  'PATCH /v1/projects/:id/members/:user_id': 'members:write',
  'DELETE /v1/projects/:id/members/:user_id': 'members:write',
  'GET /v1/projects/:id/groups': 'members:read',
  'POST /v1/projects/:id/groups': 'members:write',
  'PUT /v1/projects/:id/groups/:name': 'members:write',
  'DELETE /v1/projects/:id/groups/:name': 'members:write',
  'POST /v1/projects/:id/stop': 'project:stop',
  'POST /v1/projects/:id/start': 'project:start',
  'POST /v1/projects/:id/erasures': 'texts:erase',
  'GET /v1/projects/:id/erasures': 'audit:read',
  'GET /v1/projects/:id/retention': 'project:read',
  'PUT /v1/projects/:id/retention': 'texts:erase',
  'POST /v1/projects/:id/webhooks': 'webhooks:write',
  'GET /v1/projects/:id/webhooks': 'webhooks:read',
  'GET /v1/projects/:id/webhooks/:webhook_id': 'webhooks:read',
  'PATCH /v1/projects/:id/webhooks/:webhook_id': 'webhooks:write',
  'DELETE /v1/projects/:id/webhooks/:webhook_id': 'webhooks:write',
  'POST /v1/projects/:id/webhooks/:webhook_id/rotate-secret': 'webhooks:write',
  'DELETE /v1/projects/:id/webhooks/:webhook_id/previous-secrets': 'webhooks:write',
  'POST /v1/projects/:id/webhooks/:webhook_id/test': 'webhooks:replay',
  'POST /v1/projects/:id/webhooks/:webhook_id/replay': 'webhooks:replay',
  'GET /v1/projects/:id/webhooks/:webhook_id/deliveries': 'webhooks:read',
  'GET /v1/projects/:id/webhooks/:webhook_id/deliveries/:delivery_id': 'webhooks:read',
  'POST /v1/projects/:id/webhooks/:webhook_id/deliveries/:delivery_id/replay': 'webhooks:replay',

  'POST /mcp': 'intents:create',
  'GET /mcp': 'intents:create',
  // There are no MCP sessions, so there is nothing to check.
  'DELETE /mcp': 'public',
  'GET /v1/projects/:id/tools': 'upstreams:read',
  'POST /v1/projects/:id/upstreams': 'upstreams:write',
  'GET /v1/projects/:id/upstreams': 'upstreams:read',
  'GET /v1/projects/:id/upstreams/:upstream_id': 'upstreams:read',
  'PATCH /v1/projects/:id/upstreams/:upstream_id': 'upstreams:write',
  'DELETE /v1/projects/:id/upstreams/:upstream_id': 'upstreams:write',
  'GET /v1/projects/:id/upstreams/:upstream_id/tools': 'upstreams:read',
  'POST /v1/projects/:id/upstreams/:upstream_id/refresh': 'upstreams:write',
  'POST /v1/projects/:id/upstreams/:upstream_id/tools/approve': 'upstreams:write',
  'POST /v1/projects/:id/upstreams/:upstream_id/tools/withdraw': 'upstreams:write',

  // The dashboard's own routes. All that are not public or for reviewers require a session, in addition to any scope
  // given.
  'GET /console/session': 'public',
  'POST /console/sign-in': 'public',
  'POST /console/sign-in/second-factor': 'public',
  'GET /console/oidc/:provider/start': 'public',
  'GET /console/oidc/:provider/callback': 'public',
  'POST /console/set-up/look': 'public',
  'POST /console/set-up': 'public',
  'POST /console/invitations/look': 'public',
  'POST /console/invitations/accept': 'public',
  'POST /console/password-reset': 'public',
  'POST /console/password-reset/finish': 'public',
  'POST /console/session/confirm': 'session',
  'GET /console/account': 'session',
  'PATCH /console/account': 'session',
  'POST /console/account/password': 'session',
  'POST /console/account/totp': 'session',
  'POST /console/account/totp/confirm': 'session',
  'DELETE /console/account/totp': 'session',
  'POST /console/account/recovery-codes': 'session',
  'DELETE /console/account/identities/:id': 'session',
  'POST /console/sign-out': 'session',
  'POST /console/sign-in/passkey/options': 'public',
  'POST /console/sign-in/passkey': 'public',
  'POST /console/session/confirm/options': 'session',
  'POST /console/account/passkeys/options': 'session',
  'POST /console/account/passkeys': 'session',
  'GET /console/account/passkeys/export': 'session',
  'PATCH /console/account/passkeys/:id': 'session',
  'DELETE /console/account/passkeys/:id': 'session',
  'PATCH /console/account/device-keys/:id': 'session',
  'DELETE /console/account/device-keys/:id': 'session',
  'POST /console/pairings/look': 'session',
  'POST /console/pairings/confirm': 'session',
  'GET /console/account/sessions': 'session',
  'DELETE /console/account/sessions/:id': 'session',
  'POST /console/account/sessions/end-others': 'session',
  // Also used by `permitry inbox` and `show` (docs/decisions/0039).
  'GET /console/inbox': 'reviewer',
  'GET /console/inbox/items': 'session',
  'GET /console/history': 'session',
  'GET /console/stream': 'session',
  'GET /console/policy-proposals': 'session',
  'POST /console/decisions': 'intents:decide',
  'GET /console/intents/:id': 'reviewer',
  'POST /console/intents/:id/ask-to-extend': 'intents:decide',
  'POST /console/intents/:id/ask-again': 'session',
  'GET /console/account/tokens': 'session',
  'POST /console/account/tokens/:key_id/revoke': 'session',
  'GET /console/projects': 'session',
  'POST /console/projects': 'session',
  'PATCH /console/projects/:id': 'project:write',
  'POST /console/projects/:id/leave': 'project:read',
  'GET /console/projects/:id/overview': 'audit:read',
  'GET /console/projects/:id/invitations': 'members:read',
  'POST /console/projects/:id/invitations': 'members:write',
  'POST /console/projects/:id/invitations/:invitation_id/resend': 'members:write',
  'POST /console/projects/:id/invitations/:invitation_id/revoke': 'members:write',

  'GET /console/account/notifications': 'session',
  'PUT /console/account/notifications': 'session',
  'POST /console/account/notifications/test': 'session',
  'POST /console/account/push-subscriptions': 'session',
  'DELETE /console/account/push-subscriptions/:id': 'session',
  'GET /console/projects/:id/chat-hook': 'webhooks:read',
  'PUT /console/projects/:id/chat-hook': 'webhooks:write',
  'DELETE /console/projects/:id/chat-hook': 'webhooks:write',
  'POST /console/projects/:id/chat-hook/test': 'webhooks:replay',

  'GET /healthz': 'public',
  'GET /readyz': 'public',
  // The page checks a token of its own.
  'GET /metrics': 'public',
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
  'GET /.well-known/jwks.json': 'public',

  // The pages of the dashboard and their files. They are the same for everybody and contain nobody's data.
  'GET /': 'public',
  'GET /inbox': 'public',
  'GET /history': 'public',
  'GET /approve/:intent_id': 'public',
  'GET /sign-in': 'public',
  'GET /set-up': 'public',
  'GET /invitation': 'public',
  'GET /reset-password': 'public',
  'GET /connect': 'public',
  'GET /account': 'public',
  'GET /account/:section': 'public',
  'GET /projects': 'public',
  'GET /projects/:id': 'public',
  'GET /projects/:id/:page': 'public',
  'GET /projects/:id/:page/:item': 'public',
  'GET /assets/:file': 'public',
  'GET /icon.svg': 'public',
  'GET /icon-192.png': 'public',
  'GET /icon-512.png': 'public',
  'GET /icon-maskable-512.png': 'public',
  'GET /apple-touch-icon.png': 'public',
  'GET /badge-96.png': 'public',
  'GET /manifest.webmanifest': 'public',
  'GET /sw.js': 'public',
  // Only for browsers. Any other client that asks for an unknown address reaches no route.
  'GET /*': 'public',
} as const satisfies Record<string, RouteAccess>;

export type RouteName = keyof typeof ROUTE_ACCESS;

/** The eight operations of the interface that share one bucket per project (contract §10). */
export const CORE_ROUTES: ReadonlySet<RouteName> = new Set([
  'POST /api/intents',
  'GET /api/intents/:id',
  'POST /api/intents/permit/verify',
  'GET /api/intents',
  'POST /v1/intents',
  'GET /v1/intents/:id',
  'POST /v1/permits/validate',
  'GET /v1/projects/:id/audit',
]);

/**
 * Routes that only make things stricter. They have buckets of their own, so nobody can delay them by using up the
 * project's buckets (decision 0044).
 */
export const BRAKE_ROUTES: ReadonlySet<RouteName> = new Set([
  'POST /v1/projects/:id/stop',
  'POST /v1/projects/:id/agents/:agent_id/pause',
  'POST /v1/projects/:id/agents/:agent_id/revoke',
  'POST /v1/projects/:id/keys/:key_id/revoke',
  'POST /v1/permits/revoke',
]);

/** Routes that accept an `Idempotency-Key`: each one that creates something, and the use of a permit (contract §1). */
export const REPEATABLE_ROUTES: ReadonlySet<RouteName> = new Set([
  'POST /api/intents',
  'POST /api/intents/permit/verify',
  'POST /api/mcp-gateway',
  'POST /api/verify/proof',
  'POST /v1/intents',
  'POST /v1/intents/:id/ask-again',
  'POST /console/intents/:id/ask-again',
  'POST /v1/intents/:id/permit',
  'POST /v1/intents/:id/outcome',
  'POST /v1/permits/validate',
  'POST /v1/projects/:id/agents',
  'POST /v1/projects/:id/keys',
  'POST /v1/projects/:id/members',
  'POST /v1/projects/:id/groups',
  'POST /v1/projects/:id/policies/proposals',
  'POST /v1/projects/:id/webhooks',
  'POST /v1/projects/:id/webhooks/:webhook_id/rotate-secret',
  'POST /v1/projects/:id/webhooks/:webhook_id/test',
  'POST /v1/projects/:id/webhooks/:webhook_id/replay',
  'POST /v1/projects/:id/webhooks/:webhook_id/deliveries/:delivery_id/replay',
  'POST /v1/projects/:id/upstreams',
]);

/**
 * The line of a route. HEAD requires what GET requires. OPTIONS has no routes, because there is no CORS.
 *
 * @throws Error for a route without a line.
 */
export function findRouteName(method: string, url: string): RouteName {
  const name = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  if (!Object.hasOwn(ROUTE_ACCESS, name)) {
    throw new Error(
      `The route ${name} has no entry in route-scopes.ts; every route must declare what it requires of its caller.`,
    );
  }
  return name as RouteName;
}
