/**
 * By kind of credential: all that the contract (§3) gives it, by route. Everything else, known today or added later, is
 * refused. Used by the attack tool and by the adversarial tests.
 */
const DECIDING = ['PATCH /api/intents/:id', 'POST /v1/intents/:id/approve', 'POST /v1/intents/:id/deny'];
const VERIFYING = [
  'POST /api/intents/permit/verify',
  'POST /v1/permits/validate',
  'POST /v1/permits/introspect',
  'POST /v1/intents/:id/outcome',
  'GET /v1/projects/:id',
  'GET /v1/projects/:id/public-key',
  'GET /v1/projects/:id/signing-keys',
  'GET /v1/projects/:id/retention',
];
const REQUESTING = [
  'POST /api/intents',
  'POST /v1/intents',
  'POST /v1/intents/:id/withdraw',
  'POST /v1/intents/:id/ask-again',
  'POST /v1/intents/:id/permit',
];
const READING_INTENTS = ['GET /api/intents', 'GET /api/intents/:id', 'GET /v1/intents/:id'];
const READING = [
  ...READING_INTENTS,
  'GET /v1/projects/:id',
  'GET /v1/projects/:id/public-key',
  'GET /v1/projects/:id/signing-keys',
  'GET /v1/projects/:id/signing-keys/receipts',
  'GET /v1/projects/:id/audit',
  'GET /v1/projects/:id/audit/verify',
  'GET /v1/projects/:id/audit/export',
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
];
const READING_KEYS = 'GET /v1/projects/:id/keys';
/** It changes nothing, and takes the role of who may change. */
const SIMULATING = [
  'POST /v1/projects/:id/policies/simulate',
  'POST /v1/projects/:id/policies/check',
  'POST /v1/projects/:id/policies/explain',
];
/** Changing who may do what (contract §3): in live mode a person's credential only. */
const PERSONAL = [
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
];
const MANAGING = [
  ...PERSONAL,
  'POST /v1/permits/revoke',
  'POST /v1/projects/:id/agents',
  'PATCH /v1/projects/:id/agents/:agent_id',
  'POST /v1/projects/:id/agents/:agent_id/pause',
  'POST /v1/projects/:id/agents/:agent_id/resume',
  'POST /v1/projects/:id/agents/:agent_id/revoke',
  'POST /v1/projects/:id/stop',
  'POST /v1/projects/:id/start',
];

export const MAY = {
  'agent key': same([...REQUESTING, ...READING_INTENTS, ...VERIFYING]),
  'verifier key': same(VERIFYING),
  'token of a viewer, with every right': same(READING),
  'token of an approver, with every right': same([...READING, ...DECIDING]),
  'token of the owner, without rights': same([...READING, READING_KEYS, ...SIMULATING]),
  'token of the owner, to decide only': same([...READING, READING_KEYS, ...SIMULATING, ...DECIDING]),
  'token of the owner, to manage only': same([...READING, READING_KEYS, ...SIMULATING, ...MANAGING]),
  'secret key of an approver': same([...REQUESTING, ...READING, ...VERIFYING, ...DECIDING]),
  'secret key of a viewer': same(READING),
  'secret key of the owner': {
    inLive: [
      ...REQUESTING,
      ...READING,
      READING_KEYS,
      ...SIMULATING,
      ...VERIFYING,
      ...DECIDING,
      ...MANAGING.filter((route) => !PERSONAL.includes(route)),
    ],
    inTest: [...REQUESTING, ...READING, READING_KEYS, ...SIMULATING, ...VERIFYING, ...DECIDING, ...MANAGING],
  },
} as const satisfies Record<string, { inLive: readonly string[]; inTest: readonly string[] }>;

export type CredentialKind = keyof typeof MAY;

function same(routes: readonly string[]) {
  return { inLive: routes, inTest: routes };
}
