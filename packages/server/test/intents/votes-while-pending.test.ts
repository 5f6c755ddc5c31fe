import { afterEach, beforeEach, expect, it } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { REFUND } from '../fixtures/approved-intent.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

it.each(['api', 'v1'])('votes are listed on /%s while the quorum is incomplete', async (surface) => {
  const ann = await t.addPerson('ann@example.org', 'approver');
  const bob = await t.addPerson('bob@example.org', 'approver');
  const { intent } = await submitIntent(t.gate, t.agent, { ...REFUND, minApprovals: 3 });
  const url = `/${surface}/intents/${intent.id}`;
  const approve = (key: string) =>
    surface === 'api'
      ? t.call('PATCH', url, { key, body: { decision: 'approve' } })
      : t.call('POST', `${url}/approve`, { key, body: {} });
  const given = [{ by: ann.email, at: t.clock.now(), method: 'token' }];
  const open = { status: 'pending', approvals_required: 3 };

  expect((await approve(ann.token)).body).toMatchObject({ ...open, approvals_received: 1, approvals: given });
  t.clock.advance(5);
  given.push({ by: bob.email, at: t.clock.now(), method: 'token' });
  expect((await approve(bob.token)).body).toMatchObject({ ...open, approvals_received: 2, approvals: given });
  const read = await t.call('GET', url, { key: t.first.agent_key });
  expect(read.body).toMatchObject({ ...open, approvals_received: 2, approvals: given });

  const last = await approve(t.owner.token);
  given.push({ by: t.owner.email, at: t.clock.now(), method: 'token' });
  expect(last.body).toMatchObject({ status: 'approved', approvals_received: 3, approvals: given });
});
