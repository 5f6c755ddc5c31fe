/** By route, a body that passes its schema, so that the id decides; `{}` for those left out. Used by the attack tool and by the adversarial tests. */
import { NOBODYS } from './nobodys-things.ts';

export const SOUND_BODIES: Readonly<Record<string, object>> = {
  'PATCH /api/intents/:id': { decision: 'approve' },
  'POST /api/verify/proof': { intent_id: NOBODYS.intent, decision: 'approve', method: 'passkey' },
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
  'POST /v1/projects/:id/agents': { name: 'intruder' },
  'PATCH /v1/projects/:id/agents/:agent_id': { name: 'renamed' },
  'POST /v1/projects/:id/keys': { kind: 'verify', name: 'intruder' },
  'POST /v1/projects/:id/members': { email: 'intruder@example.org', role: 'viewer' },
  'PATCH /v1/projects/:id/members/:user_id': { role: 'viewer' },
  'POST /v1/projects/:id/groups': { name: 'intruders', members: [] },
  'PUT /v1/projects/:id/groups/:name': { members: [] },
  'POST /console/projects': { name: 'intruders', mode: 'test' },
  'PATCH /console/projects/:id': { name: 'renamed' },
  'POST /console/projects/:id/invitations': { email: 'intruder@example.org', role: 'viewer' },
};
