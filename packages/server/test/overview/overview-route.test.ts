/** `GET /console/projects/:id/overview`: who may read it, and its form. */
import { ProjectOverview } from '@permitry/protocol/schemas';
import { Compile } from 'typebox/compile';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { approveInPerson } from '../fixtures/approve-in-person.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal } from '../surfaces/expect-refusal.ts';

let t: TestApp;
let viewer: SignedIn;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  viewer = await signedIn(t.gate, (await t.addPerson('vera@example.org', 'viewer')).userId);
});
afterEach(() => t.close());

function read(query = '', projectId = t.projectId) {
  return t.call('GET', `/console/projects/${projectId}/overview${query}`, { headers: viewer.headers });
}

it('a viewer gets an overview of thirty days, or of as many as requested', async () => {
  const { intent } = await submitIntent(t.gate, t.agent, { action: 'mail.send', params: {} });
  await submitIntent(t.gate, t.agent, { action: 'mail.wait', params: {} });
  t.clock.advance(30);
  await approveInPerson(t.gate, t.owner.userId, intent.id);
  const { status, body } = await read();
  expect(status).toBe(200);
  expect([...Compile(ProjectOverview).Errors(body)]).toEqual([]);
  expect(body).toMatchObject({
    pending: 1,
    totals: { intents: 2, asked: 2, approved: 1 },
    time_to_decision: { decided: 1, median_seconds: 30, p95_seconds: 30 },
    by_person: { top: [{ person: 'owner@example.org', approvals: 1, denials: 0 }], others: 0 },
    expiring: { data: [{ action: 'mail.wait', approvals_required: 1 }], complete: true },
  });
  expect(body.days).toHaveLength(30);
  expect((await read('?days=7')).body.days).toHaveLength(7);
});

it('an overview is refused for fewer than 1 or more than 90 days, for a foreign project, and without a session', async () => {
  for (const days of ['0', '91', 'x']) expectFields(await read(`?days=${days}`), 'invalid_request', '/days');
  const other = { name: 'Other', mode: 'test', ownerEmail: 'bob@example.org' } as const;
  const { project } = await createProject(t.gate, OPERATOR, other);
  expectRefusal(await read('', project.id), 404, 'project_not_found');
  expectRefusal(
    await t.call('GET', `/console/projects/${t.projectId}/overview`, { key: t.first.secret_key }),
    403,
    'forbidden',
    { required: 'session' },
  );
});
