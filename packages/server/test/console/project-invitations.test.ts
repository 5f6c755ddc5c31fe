/** The console routes for a project's invitations. The tests of the operations cover accepting them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { anId, expectFields, expectRefusal, INSTANT } from '../surfaces/expect-refusal.ts';

let t: TestApp;
let owner: SignedIn;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  owner = await signedIn(t.gate, t.owner.userId);
});
afterEach(() => t.close());

function call(person: SignedIn, method: string, path = '', body?: unknown, projectId = t.projectId) {
  return t.call(method, `/console/projects/${projectId}/invitations${path}`, {
    headers: person.headers,
    ...(body === undefined ? {} : { body }),
  });
}

async function member(role: 'viewer' | 'approver' | 'admin'): Promise<SignedIn> {
  return signedIn(t.gate, (await t.addPerson(`${role}@example.org`, role)).userId);
}

const ann = { email: 'Ann@example.org', role: 'approver' };

it('an invitation is created with a link, listed without it, resent with a new link, and revoked', async () => {
  const made = await call(owner, 'POST', '', ann);
  expect(made.status).toBe(201);
  const shown = {
    id: anId('inv'),
    email: 'ann@example.org',
    role: 'approver',
    status: 'open',
    invited_by: 'owner@example.org',
    created_at: INSTANT,
    expires_at: INSTANT,
  };
  const link = expect.stringMatching(/^http:\/\/localhost:4000\/invitation#[\w-]{20,}$/);
  expect(made.body).toEqual({ ...shown, link });

  const viewer = await member('viewer');
  const listed = await call(viewer, 'GET');
  expect(listed.body).toEqual({ data: [shown], next_cursor: null, by_mail: false });
  const id = String(made.body.id);

  const again = await call(owner, 'POST', `/${id}/resend`, {});
  expect(again.body).toEqual({ ...shown, link });
  expect(again.body.link).not.toBe(made.body.link);

  expect((await call(owner, 'POST', `/${id}/revoke`, {})).body).toEqual({ ...shown, status: 'revoked' });
  expectRefusal(await call(owner, 'POST', `/${id}/resend`, {}), 409, 'conflict');
});

it('an invitation expires after seven days', async () => {
  await call(owner, 'POST', '', ann);
  t.clock.advance(7 * 86_400);
  // Sessions end sooner.
  const later = await signedIn(t.gate, t.owner.userId);
  expect((await call(later, 'GET')).body).toMatchObject({ data: [{ status: 'expired' }] });
});

it('viewers and approvers cannot create, resend or revoke invitations, and admins cannot invite owners', async () => {
  const { id } = (await call(owner, 'POST', '', { email: 'boss@example.org', role: 'owner' })).body;
  for (const role of ['viewer', 'approver'] as const) {
    const person = await member(role);
    expectRefusal(await call(person, 'POST', '', ann), 403, 'forbidden', { required: 'members:write' });
    for (const verb of ['revoke', 'resend']) {
      const refused = await call(person, 'POST', `/${id}/${verb}`, {});
      expectRefusal(refused, 403, 'forbidden', { required: 'members:write' });
    }
  }
  const admin = await member('admin');
  const above = await call(admin, 'POST', '', { ...ann, role: 'owner' });
  expectRefusal(above, 403, 'forbidden', { required: 'role:owner' });
  expectRefusal(await call(admin, 'POST', `/${id}/revoke`, {}), 403, 'forbidden', { required: 'role:owner' });
  expect((await call(owner, 'GET')).body).toMatchObject({ data: [{ status: 'open', role: 'owner' }] });
});

it('invitations of members or invalid addresses are refused, and those of other projects are not found', async () => {
  expectRefusal(
    await call(owner, 'POST', '', { email: 'owner@example.org', role: 'viewer' }),
    409,
    'conflict',
  );
  expectFields(
    await call(owner, 'POST', '', { email: 'not an address', role: 'viewer' }),
    'invalid_request',
    '/email',
  );
  expectRefusal(await call(owner, 'POST', '/inv_x/revoke', {}), 404, 'not_found');
  const other = { name: 'Other', mode: 'test', ownerEmail: 'bob@example.org' } as const;
  const { project } = await createProject(t.gate, OPERATOR, other);
  expectRefusal(await call(owner, 'GET', '', undefined, project.id), 404, 'project_not_found');
  expectRefusal(await call(owner, 'POST', '', ann, project.id), 404, 'project_not_found');
});
