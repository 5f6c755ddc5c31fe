/** A repeated answer to a use, under its Idempotency-Key. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pauseAgent, revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { stopProject } from '../../src/gate/projects/stop-switch.ts';
import { approvedIntent, REFUND } from '../fixtures/approved-intent.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

const SURFACES = {
  A: (token: string) => ({
    url: '/api/intents/permit/verify',
    body: { permit_token: token, action: REFUND.action, context: REFUND.params, consume: true },
  }),
  B: (token: string) => ({ url: '/v1/permits/validate', body: { token, ...REFUND, consume: true } }),
};

const NO_REFUNDS = {
  name: 'no refunds',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [{ name: 'never', match: { action: 'payments.*' }, effect: 'deny' }],
};

/** Events between the use and its repetition, by the reason for which the repetition is refused. */
const MEANWHILE: Record<string, (intentId: string) => unknown> = {
  agent_paused: () => pauseAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: t.agentId }),
  agent_revoked: () => revokeAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: t.agentId }),
  project_stopped: () => stopProject(t.gate, OPERATOR, { projectId: t.projectId }),
  revoked: (intentId) => revokePermit(t.gate, t.secret, { target: { intentId } }),
  policy_changed: () => putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document: NO_REFUNDS }),
};

describe.each([
  ['A', 'INVALID_PERMIT'],
  ['B', 'permit_invalid'],
] as const)('a use repeated with its Idempotency-Key on surface %s', (surface, code) => {
  async function use() {
    const { id, token } = await approvedIntent(t);
    const { url, body } = SURFACES[surface](token);
    const consume = () =>
      t.call('POST', url, { key: t.first.verifier_key, body, headers: { 'idempotency-key': 'use-1' } });
    const first = await consume();
    expect(first.body).toMatchObject({ authorizes: true, consumed: true });
    return { id, first, consume };
  }

  it.each([299, 300, 23 * 3600])(
    'gets the same answer %i seconds later, although the permit lasts 300 seconds',
    async (seconds) => {
      const { first, consume } = await use();
      t.clock.advance(seconds);
      const again = await consume();
      expect(again.status).toBe(200);
      expect(again.body).toEqual(first.body);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(await t.events(t.projectId, 'permit.consumed')).toHaveLength(1);
    },
  );

  it.each(Object.entries(MEANWHILE))('is refused as %s once the use would be', async (reason, happens) => {
    const { id, consume } = await use();
    await happens(id);
    const again = await consume();
    expect(again.status).toBe(400);
    expect(again.body).toMatchObject({ error: { code, reason } });
  });
});
