import { afterEach, beforeEach, expect, it } from 'vitest';
import { changeRole } from '../../src/people/members/change-role.ts';
import { approvedIntent } from '../fixtures/approved-intent.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

it('a secret key no longer sees permits once its owner is demoted to viewer', async () => {
  const ann = await t.addPerson('ann@example.org', 'admin');
  const { key } = await t.addService(ann.email);
  const { id, token } = await approvedIntent(t);
  const read = async () => [
    await t.call('GET', `/api/intents/${id}`, { key }),
    await t.call('GET', `/v1/intents/${id}`, { key }),
    await t.call('GET', `/v1/intents/${id}?wait=1`, { key }),
  ];
  for (const answer of await read()) expect(answer.text).toContain(token);

  await changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: ann.userId, role: 'viewer' });
  for (const answer of await read()) {
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: 'approved' });
    expect(answer.body).not.toHaveProperty('permit_token');
    expect(answer.body).not.toHaveProperty('permit.token');
    expect(answer.text).not.toContain(token);
  }
});
