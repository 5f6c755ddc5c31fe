/**
 * For each route, a body that passes the route's schema, so that the result depends only on the ID. `{}` for routes
 * that are not listed. For the attack tool and the adversarial tests.
 */
import { NOBODYS } from './nobodys-things.ts';

export const SOUND_BODIES: Readonly<Record<string, object>> = {
  'PATCH /api/intents/:id': { decision: 'approve' },
  'POST /api/mcp-gateway': { tool: 'iam.grant_role', arguments: { subject: 'intruder', role: 'owner' } },
  'POST /api/verify/proof': { intent_id: NOBODYS.intent, decision: 'approve', method: 'device' },
  'POST /v1/pairings': { purpose: 'token', name: 'intruder' },
  'POST /v1/pairings/poll': { device_code: 'nobodys' },
  'POST /console/pairings/look': { user_code: 'BBBB-BBBB' },
  'POST /console/pairings/confirm': { id: 'par_nobodys', user_code: 'BBBB-BBBB', decision: 'approve' },
  'PATCH /console/account/device-keys/:id': { name: 'renamed' },
  'POST /v1/intents/:id/outcome': { outcome: 'succeeded' },
  'PUT /v1/projects/:id/policies': { name: 'p', default: { approvers: ['role:owner'] }, rules: [] },
  'PUT /v1/projects/:id/policies/shadow': { name: 'p', default: { approvers: ['role:owner'] }, rules: [] },
  'POST /v1/projects/:id/policies/simulate': { stored: {} },
  'POST /v1/projects/:id/policies/check': { policy: {} },
  'POST /v1/projects/:id/policies/explain': { intent: { action: 'deploy' } },
  'POST /v1/projects/:id/policies/proposals': {
    policy: { name: 'p', default: { approvers: ['role:owner'] }, rules: [] },
  },
  'PUT /v1/projects/:id/policies/second-person': { required: true },
  'POST /v1/projects/:id/erasures': { intent_id: NOBODYS.intent },
  'PUT /v1/projects/:id/retention': { days: 30 },
  'POST /v1/projects/:id/upstreams': { name: 'intruder', url: 'https://intruder.example/mcp' },
  'PATCH /v1/projects/:id/upstreams/:upstream_id': { risk_tier: 'low' },
  'POST /v1/projects/:id/upstreams/:upstream_id/tools/approve': {
    tools: [{ name: 'read', hash: `sha256:${'0'.repeat(64)}` }],
  },
  'POST /v1/projects/:id/upstreams/:upstream_id/tools/withdraw': { tools: ['read'] },
  'POST /v1/projects/:id/webhooks': { url: 'https://intruder.example/hook' },
  'PATCH /v1/projects/:id/webhooks/:webhook_id': { enabled: false },
  'POST /v1/projects/:id/webhooks/:webhook_id/replay': { after_seq: 0 },
  'POST /v1/projects/:id/agents': { name: 'intruder' },
  'PATCH /v1/projects/:id/agents/:agent_id': { name: 'renamed' },
  'POST /v1/projects/:id/keys': { kind: 'verify', name: 'intruder' },
  'POST /v1/projects/:id/members': { email: 'intruder@example.org', role: 'viewer' },
  'PATCH /v1/projects/:id/members/:user_id': { role: 'viewer' },
  'POST /v1/projects/:id/groups': { name: 'intruders', members: [] },
  'PUT /v1/projects/:id/groups/:name': { members: [] },
  'POST /console/projects': { name: 'intruders', mode: 'test' },
  'PATCH /console/projects/:id': { name: 'renamed' },
  'PUT /console/projects/:id/chat-hook': {
    url: 'https://intruder.example/chat',
    kinds: ['waiting'],
    minimum_risk_tier: 'low',
  },
  'POST /console/projects/:id/invitations': { email: 'intruder@example.org', role: 'viewer' },
};
