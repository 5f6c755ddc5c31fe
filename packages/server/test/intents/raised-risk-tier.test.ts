/** An agent's default risk also counts for requests that it sent before the default was raised. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { approvedIntent, REFUND } from '../fixtures/approved-intent.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

const POLICY = {
  name: 'by tier',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [{ name: 'nothing high', match: { risk_tier: 'high' }, effect: 'deny' }],
};

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
  await putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document: POLICY });
});
afterEach(() => t.close());

async function raise(): Promise<void> {
  const url = `/v1/projects/${t.projectId}/agents/${t.agentId}`;
  const { status } = await t.call('PATCH', url, { key: t.owner.token, body: { risk_tier: 'high' } });
  expect(status).toBe(200);
}

it('a raised risk tier counts when an earlier request is decided', async () => {
  const { intent } = await submitIntent(t.gate, t.agent, REFUND);
  expect(intent.status).toBe('pending');
  await raise();
  const answer = await t.call('POST', `/v1/intents/${intent.id}/approve`, {
    key: t.first.secret_key,
    body: {},
  });
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject({ error: { code: 'policy_violation', rule: 'nothing high' } });
  const read = await t.call('GET', `/v1/intents/${intent.id}`, { key: t.first.secret_key });
  expect(read.body).toMatchObject({ status: 'denied', resolved_by: 'policy:nothing high' });
});

it.each([false, true])('a raised risk tier counts for an earlier permit, consume: %s', async (consume) => {
  const { id, token } = await approvedIntent(t);
  const validate = () =>
    t.call('POST', '/v1/permits/validate', {
      key: t.first.verifier_key,
      body: { token, ...REFUND, consume },
    });
  await raise();
  const { status, body } = await validate();
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { code: 'permit_invalid', reason: 'policy_changed' } });
  expect((await t.gate.storage.read.findIntent(id))?.consumedAt).toBeNull();
});
