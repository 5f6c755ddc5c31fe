import { afterEach, beforeEach, expect, it } from 'vitest';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { approvedIntent } from '../fixtures/approved-intent.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

function put(...rules: object[]) {
  const document = { name: 'p', default: { approvers: ['role:approver'], min_approvals: 1 }, rules };
  return putPolicy(t.gate, OPERATOR, {
    projectId: t.projectId,
    document: JSON.parse(JSON.stringify(document)),
  });
}

const MATCH = { action: 'payments.*' };

it.each([
  ['denies the action', { effect: 'deny' }],
  [
    'requires more approvals',
    { effect: 'require_approval', require: [{ from: ['role:approver'], count: 2 }] },
  ],
  ['requires a stronger proof', { effect: 'require_approval', proof_tier: 'passkey' }],
])('no fresh permit is issued when the policy now %s', async (_now, rule) => {
  await t.addPerson('ann@example.org', 'approver');
  const { id } = await approvedIntent(t);
  await put({ name: 'stricter', match: MATCH, ...rule });
  const before = await t.gate.storage.read.findIntent(id);
  const redeem = () => t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} });
  const refused = await redeem();
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ error: { code: 'permit_invalid', reason: 'policy_changed' } });
  expect(await t.gate.storage.read.findIntent(id)).toEqual(before);
  expect(await t.events(t.projectId, 'permit.issued')).toHaveLength(1);

  await put();
  expect((await redeem()).status).toBe(201);
  expect(await t.events(t.projectId, 'permit.issued')).toHaveLength(2);
});
