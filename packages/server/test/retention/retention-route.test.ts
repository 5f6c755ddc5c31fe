/** `GET` and `PUT /v1/projects/:id/retention`: who may call them, and the result. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal } from '../surfaces/expect-refusal.ts';
import { openDocumentedApp } from '../surfaces/open-documented-app.ts';

let t: TestApp;
afterEach(() => t.close());

function read(key = t.owner.token, projectId = t.projectId) {
  return t.call('GET', `/v1/projects/${projectId}/retention`, { key });
}

function set(days: unknown, key = t.owner.token, projectId = t.projectId) {
  return t.call('PUT', `/v1/projects/${projectId}/retention`, { key, body: { days } });
}

describe('retention in live mode', () => {
  beforeEach(async () => {
    t = await openTestApp({ mode: 'live' });
  });

  it('is set by an owner, and each change is recorded', async () => {
    expect((await read()).body).toEqual({ days: null, gate_days: 0, days_in_force: 0 });
    const url = `/v1/projects/${t.projectId}/retention`;
    const present = (days: unknown) => t.call('PUT', url, { present: t.owner, body: { days } });
    const answer = await present(365);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ days: 365, gate_days: 0, days_in_force: 365 });
    expect((await present(null)).body).toEqual({ days: null, gate_days: 0, days_in_force: 0 });
    const events = await t.events(t.projectId, 'retention.updated');
    expect(events.map(({ actor, data }) => [actor.id, data])).toEqual([
      [t.owner.userId, { days: 365 }],
      [t.owner.userId, { days: null }],
    ]);
  });

  it('can be read by a viewer, but not set by a viewer, an admin or a program of the owner', async () => {
    const viewer = await t.addPerson('vera@example.org', 'viewer');
    const admin = await t.addPerson('adam@example.org', 'admin');
    expect((await read(viewer.token)).status).toBe(200);
    for (const key of [viewer.token, admin.token, t.owner.token, t.first.secret_key])
      expectRefusal(await set(7, key), 403, 'forbidden', { required: 'texts:erase' });
    const url = `/v1/projects/${t.projectId}/retention`;
    for (const person of [viewer, admin]) {
      const refused = await t.call('PUT', url, { present: person, body: { days: 7 } });
      expectRefusal(refused, 403, 'forbidden', { required: 'texts:erase' });
    }
    expect((await read()).body).toMatchObject({ days: null });
  });
});

describe('retention in test mode', () => {
  beforeEach(async () => {
    t = await openDocumentedApp();
  });

  it('accepts only whole days, up to a hundred years', async () => {
    for (const days of [-1, 1.5, 36_501, '30'])
      expectFields(await set(days, t.first.secret_key), 'invalid_request', '/days');
    expectFields(await set(undefined, t.first.secret_key), 'invalid_request', '/days');
    expect((await set(0, t.first.secret_key)).body).toMatchObject({ days: 0, days_in_force: 0 });
  });

  it('treats other people’s projects as if they did not exist', async () => {
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'test',
      ownerEmail: 'bob@example.org',
    });
    expectRefusal(await read(t.owner.token, project.id), 404, 'project_not_found');
    expectRefusal(await set(7, t.owner.token, project.id), 404, 'project_not_found');
    expect(await t.gate.storage.read.findRetention(project.id)).toMatchObject({ days: null });
  });
});
