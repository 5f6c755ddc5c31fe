import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

function post(body: object) {
  return t.call('POST', `/v1/projects/${t.projectId}/groups`, { key: t.owner.token, body });
}

it('the groups route creates a group and answers with 201, its ID and its members’ addresses', async () => {
  const ann = await t.addPerson('ann@example.org', 'approver');
  const made = await post({ name: 'finance', members: [ann.userId, t.owner.email] });
  expect(made.status).toBe(201);
  const group = {
    id: 'finance',
    name: 'finance',
    members: expect.toSatisfy(
      (members: string[]) => members.toSorted().join() === [ann.email, t.owner.email].join(),
    ),
    created_at: t.clock.now(),
  };
  expect(made.body).toEqual(group);
  const listed = await t.call('GET', `/v1/projects/${t.projectId}/groups`, { key: t.owner.token });
  expect(listed.body.data).toEqual([group]);
});

it('the groups route creates a group without members', async () => {
  expect((await post({ name: 'empty' })).body).toMatchObject({ id: 'empty', members: [] });
});

it('the groups route refuses an existing name and leaves the existing group unchanged', async () => {
  await post({ name: 'finance', members: [t.owner.email] });
  const events = await t.events(t.projectId, 'group.updated');
  for (const members of [[], [t.owner.email]]) {
    const again = await post({ name: 'finance', members });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ error: { code: 'conflict' } });
  }
  const listed = await t.call('GET', `/v1/projects/${t.projectId}/groups`, { key: t.owner.token });
  expect(listed.body.data).toMatchObject([{ name: 'finance', members: [t.owner.email] }]);
  expect(await t.events(t.projectId, 'group.updated')).toEqual(events);
});
