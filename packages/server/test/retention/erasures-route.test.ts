/** `POST /v1/projects/:id/erasures`: who may call it, and with what. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withdrawIntent } from '../../src/gate/intents/withdraw.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal } from '../surfaces/expect-refusal.ts';
import { openDocumentedApp } from '../surfaces/open-documented-app.ts';
import { asked } from './asked-and-approved.ts';

let t: TestApp;
afterEach(() => t.close());

function erase(body: unknown, key = t.first.secret_key, projectId = t.projectId) {
  return t.call('POST', `/v1/projects/${projectId}/erasures`, { key, body });
}

async function closedIntent(): Promise<string> {
  const { id } = await asked(t, 'Zenobia Quirrenbach');
  await withdrawIntent(t.gate, t.agent, id);
  return id;
}

describe('erasures in test mode', () => {
  beforeEach(async () => {
    t = await openDocumentedApp();
  });

  it('report how much was erased and how much remains', async () => {
    const intent = await erase({ intent_id: await closedIntent() });
    expect(intent.status).toBe(200);
    expect(intent.body).toEqual({
      erased: { intents: 1, records: expect.any(Number), answers: 0 },
      remaining: { intents: 0, policies: 0 },
      files: 'cleared',
    });
    await asked(t, 'zed@example.net');
    const person = await erase({ person: 'zed@example.net' });
    expect(person.body).toEqual({
      erased: { intents: 0, records: 0, answers: 0 },
      remaining: { intents: 1, policies: 0 },
      files: 'cleared',
    });
  });

  it('accept either an intent or a person, and nothing else', async () => {
    const id = await closedIntent();
    expectFields(await erase({}), 'invalid_request', '/intent_id');
    expectFields(await erase({ intent_id: id, person: 'a@example.org' }), 'invalid_request', '/intent_id');
    expectFields(await erase({ intent_id: id, older_than: 5 }), 'invalid_request', '/older_than');
    expectFields(await erase({ person: 'nobody' }), 'invalid_request', '/person');
    expectFields(await erase({ intent_id: 7 }), 'invalid_request', '/intent_id');
    expectRefusal(await erase({ intent_id: 'int_x' }), 404, 'intent_not_found');
    expectRefusal(await erase({ person: 'owner@example.org' }), 409, 'conflict');
    const { id: open } = await asked(t, 'somebody');
    expectRefusal(await erase({ intent_id: open }), 409, 'conflict');
  });

  it('are refused to agents, executors, viewers, approvers and admins, and each refusal is recorded', async () => {
    const id = await closedIntent();
    const people = await Promise.all(
      (['viewer', 'approver', 'admin'] as const).map((role) => t.addPerson(`${role}@example.org`, role)),
    );
    const service = await t.addService('admin@example.org');
    const keys = [t.first.agent_key, t.first.verifier_key, service.key, ...people.map(({ token }) => token)];
    for (const key of keys) {
      expectRefusal(await erase({ intent_id: id }, key), 403, 'forbidden', { required: 'texts:erase' });
    }
    expect(await t.events(t.projectId, 'access.refused')).toHaveLength(keys.length);
    expect(await t.events(t.projectId, 'text.erased')).toEqual([]);
    const { body } = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
    expect(body).not.toHaveProperty('erased_at');
  });

  it('are listed while unfinished, to people and services of the project', async () => {
    const { projectId } = t;
    const list = (key: string, id = projectId) => t.call('GET', `/v1/projects/${id}/erasures`, { key });
    expect((await list(t.first.secret_key)).body).toEqual({ data: [], next_cursor: null });
    const mark = { projectId, since: '2026-01-01T00:00:00.000Z' };
    await t.gate.storage.transaction(async (tx) => {
      await tx.saveUnfinishedErasure({ ...mark, subject: 'intent', subjectId: 'int_1', mark: 'a' });
      await tx.saveUnfinishedErasure({ ...mark, subject: 'age', subjectId: null, mark: 'b' });
    });
    const { token } = await t.addPerson('viewer@example.org', 'viewer');
    expect((await list(token)).body.data).toEqual([
      { subject: 'intent', subject_id: 'int_1', since: mark.since },
      { subject: 'age', subject_id: null, since: mark.since },
    ]);
    expectRefusal(await list(t.first.agent_key), 403, 'forbidden', { required: 'audit:read' });
    expectRefusal(await list(token, 'prj_01hzzzzzzzzzzzzzzzzzzzzzzz'), 404, 'project_not_found');
  });

  it('treat another project as if it did not exist', async () => {
    const other = 'prj_01hzzzzzzzzzzzzzzzzzzzzzzz';
    expectRefusal(
      await erase({ person: 'a@example.org' }, t.first.secret_key, other),
      404,
      'project_not_found',
    );
    expectRefusal(await erase({ person: 'a@example.org' }, 'prm_secret_test_x'), 401, 'unauthorized');
  });
});

describe('erasures in live mode', () => {
  beforeEach(async () => {
    t = await openTestApp({ mode: 'live' });
  });

  it('require an owner who is present, and refuse their services and tokens', async () => {
    const id = await closedIntent();
    for (const key of [t.first.secret_key, t.owner.token]) {
      expectRefusal(await erase({ intent_id: id }, key), 403, 'forbidden', { required: 'texts:erase' });
    }
    expect(await t.events(t.projectId, 'text.erased')).toEqual([]);
    const url = `/v1/projects/${t.projectId}/erasures`;
    const erased = await t.call('POST', url, { present: t.owner, body: { intent_id: id } });
    expect(erased.status).toBe(200);
  });
});
