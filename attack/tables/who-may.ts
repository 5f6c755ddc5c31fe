/**
 * For each kind of credential, the routes that the contract (§3) allows. The gate refuses all others, known today or
 * added later. For the attack tool and the adversarial tests.
 */
const DECIDING = ['PATCH /api/intents/:id', 'POST /v1/intents/:id/approve', 'POST /v1/intents/:id/deny'];
/** With the caller's own device key, at a terminal. */
const PROVING = 'POST /api/verify/proof';
const VERIFYING = [
  'POST /api/intents/permit/verify',
  'POST /v1/permits/validate',
  'POST /v1/permits/introspect',
  'POST /v1/intents/:id/outcome',
  'GET /v1/me',
  'GET /v1/projects/:id',
  'GET /v1/projects/:id/public-key',
  'GET /v1/projects/:id/signing-keys',
  'GET /v1/projects/:id/retention',
];
const REQUESTING = [
  'POST /api/intents',
  'GET /api/mcp-gateway',
  'POST /api/mcp-gateway',
  'POST /v1/intents',
  'POST /v1/intents/:id/withdraw',
  'POST /v1/intents/:id/ask-again',
  'POST /v1/intents/:id/permit',
  'POST /mcp',
  'GET /mcp',
];
const READING_INTENTS = ['GET /api/intents', 'GET /api/intents/:id', 'GET /v1/intents/:id'];
/** The routes through which the pages show requests to approvers. */
const REVIEWING = ['GET /console/inbox', 'GET /console/intents/:id', 'POST /v1/me/revoke'];
const READING = [
  ...READING_INTENTS,
  ...REVIEWING,
  'GET /v1/me',
  'GET /v1/projects/:id',
  'GET /v1/projects/:id/public-key',
  'GET /v1/projects/:id/signing-keys',
  'GET /v1/projects/:id/signing-keys/receipts',
  'GET /v1/projects/:id/mock-connectors/:connector',
  'GET /v1/projects/:id/audit',
  'GET /v1/projects/:id/audit/verify',
  'GET /v1/projects/:id/audit/export',
  'GET /v1/projects/:id/events',
  'GET /v1/projects/:id/erasures',
  'GET /v1/projects/:id/retention',
  'GET /v1/projects/:id/policies',
  'GET /v1/projects/:id/policies/versions',
  'GET /v1/projects/:id/policies/proposals',
  'GET /v1/projects/:id/policies/proposals/:proposal_id',
  'GET /v1/projects/:id/policies/shadow',
  'GET /v1/projects/:id/policies/shadow/divergences',
  'GET /v1/projects/:id/agents',
  'GET /v1/projects/:id/agents/:agent_id',
  'GET /v1/projects/:id/members',
  'GET /v1/projects/:id/groups',
  'GET /v1/projects/:id/tools',
  'GET /v1/projects/:id/upstreams',
  'GET /v1/projects/:id/upstreams/:upstream_id',
  'GET /v1/projects/:id/upstreams/:upstream_id/tools',
];
const READING_KEYS = 'GET /v1/projects/:id/keys';
const READING_WEBHOOKS = [
  'GET /v1/projects/:id/webhooks',
  'GET /v1/projects/:id/webhooks/:webhook_id',
  'GET /v1/projects/:id/webhooks/:webhook_id/deliveries',
  'GET /v1/projects/:id/webhooks/:webhook_id/deliveries/:delivery_id',
];
/** These change nothing, but need the role of somebody who can change the policy. */
const SIMULATING = [
  'POST /v1/projects/:id/policies/simulate',
  'POST /v1/projects/:id/policies/check',
  'POST /v1/projects/:id/policies/explain',
];
/**
 * Changes to rights (contract §3). In live mode no program can make them, only a person at a browser or the operator.
 */
const PERSONAL = [
  'POST /v1/projects/:id/agents',
  'PATCH /v1/projects/:id/agents/:agent_id',
  'POST /v1/projects/:id/agents/:agent_id/resume',
  'POST /v1/projects/:id/start',
  'PUT /v1/projects/:id/policies',
  'PUT /v1/projects/:id/policies/shadow',
  'DELETE /v1/projects/:id/policies/shadow',
  'POST /v1/projects/:id/policies/proposals',
  'POST /v1/projects/:id/policies/proposals/:proposal_id/approve',
  'POST /v1/projects/:id/policies/proposals/:proposal_id/reject',
  'POST /v1/projects/:id/policies/proposals/:proposal_id/withdraw',
  'PUT /v1/projects/:id/policies/second-person',
  'POST /v1/projects/:id/keys',
  'POST /v1/projects/:id/keys/:key_id/revoke',
  'POST /v1/projects/:id/members',
  'PATCH /v1/projects/:id/members/:user_id',
  'DELETE /v1/projects/:id/members/:user_id',
  'POST /v1/projects/:id/groups',
  'PUT /v1/projects/:id/groups/:name',
  'DELETE /v1/projects/:id/groups/:name',
  'POST /v1/projects/:id/erasures',
  'PUT /v1/projects/:id/retention',
  'POST /v1/projects/:id/webhooks',
  'PATCH /v1/projects/:id/webhooks/:webhook_id',
  'DELETE /v1/projects/:id/webhooks/:webhook_id',
  'POST /v1/projects/:id/webhooks/:webhook_id/rotate-secret',
  'DELETE /v1/projects/:id/webhooks/:webhook_id/previous-secrets',
  'POST /v1/projects/:id/upstreams',
  'PATCH /v1/projects/:id/upstreams/:upstream_id',
  'DELETE /v1/projects/:id/upstreams/:upstream_id',
  'POST /v1/projects/:id/upstreams/:upstream_id/refresh',
  'POST /v1/projects/:id/upstreams/:upstream_id/tools/approve',
  'POST /v1/projects/:id/upstreams/:upstream_id/tools/withdraw',
];
const REPLAYING = [
  'POST /v1/projects/:id/webhooks/:webhook_id/test',
  'POST /v1/projects/:id/webhooks/:webhook_id/replay',
  'POST /v1/projects/:id/webhooks/:webhook_id/deliveries/:delivery_id/replay',
];
/** These only make things stricter, so programs may still call them in live mode. */
const STOPPING = [
  'POST /v1/permits/revoke',
  'POST /v1/projects/:id/agents/:agent_id/pause',
  'POST /v1/projects/:id/agents/:agent_id/revoke',
  'POST /v1/projects/:id/stop',
];

/** An owner reads more than an approver. */
const READING_AS_OWNER = [...READING, READING_KEYS, ...READING_WEBHOOKS, ...SIMULATING];
const PROGRAM_OF_THE_OWNER = [
  ...REQUESTING,
  ...READING_AS_OWNER,
  ...VERIFYING,
  ...DECIDING,
  ...STOPPING,
  ...REPLAYING,
];

export const MAY = {
  'agent key': same([...REQUESTING, ...READING_INTENTS, ...VERIFYING]),
  'verifier key': same(VERIFYING),
  'token of a viewer, with every right': same(READING),
  'token of an approver, with every right': same([...READING, ...DECIDING, PROVING]),
  'token of the owner, without rights': same(READING_AS_OWNER),
  'token of the owner, to decide only': same([...READING_AS_OWNER, ...DECIDING, PROVING]),
  'token of the owner, to manage only': {
    inLive: [...READING_AS_OWNER, ...STOPPING],
    inTest: [...READING_AS_OWNER, ...STOPPING, ...REPLAYING, ...PERSONAL],
  },
  'secret key of an approver': same([...REQUESTING, ...READING, ...VERIFYING, ...DECIDING]),
  'secret key of a viewer': same(READING),
  'secret key of the owner': {
    inLive: PROGRAM_OF_THE_OWNER,
    inTest: [...PROGRAM_OF_THE_OWNER, ...PERSONAL],
  },
} as const satisfies Record<string, { inLive: readonly string[]; inTest: readonly string[] }>;

export type CredentialKind = keyof typeof MAY;

function same(routes: readonly string[]) {
  return { inLive: routes, inTest: routes };
}
