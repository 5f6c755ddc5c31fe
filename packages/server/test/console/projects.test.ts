/** The console routes for projects: what people see, and who may create, rename and leave them. */
import type { Role } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { createOwnProject } from '../../src/gate/projects/create-own-project.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR, OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal, INSTANT } from '../surfaces/expect-refusal.ts';

let t: TestApp;
let owner: SignedIn;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  owner = await signedIn(t.gate, t.owner.userId);
});
afterEach(() => t.close());

function call(person: SignedIn, method: string, path: string, body?: unknown) {
  return t.call(method, `/console${path}`, {
    headers: person.headers,
    ...(body === undefined ? {} : { body }),
  });
}

async function member(role: Role, email = `a-${role}@example.org`): Promise<SignedIn & { userId: string }> {
  const { userId } = await t.addPerson(email, role);
  return { ...(await signedIn(t.gate, userId)), userId };
}

async function othersProject(): Promise<string> {
  const other = { name: 'Other', mode: 'test', ownerEmail: 'bob@example.org' } as const;
  return (await createProject(t.gate, OPERATOR, other)).project.id;
}

async function names(): Promise<string[]> {
  return (await t.gate.storage.read.listProjects()).map(({ name }) => name);
}

describe('the list of projects', () => {
  it('contains only the person’s projects, each with its mode, role and pending requests', async () => {
    await othersProject();
    await submitIntent(t.gate, t.agent, { action: 'mail.send', params: {} });
    const viewer = await member('viewer');
    const { status, body } = await call(viewer, 'GET', '/projects');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: t.projectId,
          name: 'First',
          mode: 'live',
          role: 'viewer',
          stopped_at: null,
          created_at: INSTANT,
          pending: 1,
          members: 2,
        },
      ],
      may_create: false,
    });
    expect((await call(owner, 'GET', '/projects')).body).toMatchObject({ may_create: true });
  });

  it('needs a session, and is refused to every key', async () => {
    expectRefusal(await t.call('GET', '/console/projects'), 401, 'unauthorized');
    for (const key of [t.first.secret_key, t.owner.token, t.first.agent_key]) {
      const answer = await t.call('GET', '/console/projects', { key });
      expectRefusal(answer, 403, 'forbidden', { required: 'session' });
    }
  });
});

describe('creating a project', () => {
  it('is allowed to an owner of any project, in either mode, who then owns the new one', async () => {
    const made = await call(owner, 'POST', '/projects', { name: ' Payouts ', mode: 'test' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'Payouts', mode: 'test', role: 'owner', pending: 0, members: 1 });
    const id = String(made.body.id);
    expect(await t.gate.storage.read.listMembers(id)).toMatchObject([{ email: OWNER_EMAIL, role: 'owner' }]);
    expect(await t.events(id)).toMatchObject([
      {
        type: 'project.created',
        actor: { type: 'user', id: t.owner.userId },
        data: { name: 'Payouts', mode: 'test', owner: OWNER_EMAIL },
      },
    ]);
    const { body } = await call(owner, 'GET', '/projects');
    expect((body.data as { id: string }[]).map((project) => project.id)).toEqual([id, t.projectId]);
  });

  it('is refused to every other role', async () => {
    for (const role of ['viewer', 'approver', 'admin'] as const) {
      const refused = await call(await member(role), 'POST', '/projects', { name: role, mode: 'test' });
      expectRefusal(refused, 403, 'forbidden', { required: 'role:owner' });
    }
    expect(await names()).toEqual(['First']);
  });

  it('requires a mode, and a name that is free and readable', async () => {
    const taken = await call(owner, 'POST', '/projects', { name: 'FIRST', mode: 'live' });
    expectRefusal(taken, 409, 'conflict');
    const bidi = await call(owner, 'POST', '/projects', { name: 'a\u202eb', mode: 'live' });
    expectFields(bidi, 'invalid_request', '/name');
    expectFields(await call(owner, 'POST', '/projects', { name: 'x' }), 'invalid_request', '/mode');
    expectFields(
      await call(owner, 'POST', '/projects', { name: 'x', mode: 'prod' }),
      'invalid_request',
      '/mode',
    );
    expect(await names()).toEqual(['First']);
  });

  it('is refused to a person who was an owner until a moment ago', async () => {
    const second = await member('owner');
    const caller = await second.caller();
    const demoted = await t.call('PATCH', `/v1/projects/${t.projectId}/members/${second.userId}`, {
      headers: owner.headers,
      body: { role: 'admin' },
    });
    expect(demoted.status).toBe(200);
    await expect(createOwnProject(t.gate, caller, { name: 'Late', mode: 'test' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await names()).toEqual(['First']);
  });
});

describe('renaming a project', () => {
  it('is allowed to an admin, and the audit log records the previous name', async () => {
    const admin = await member('admin');
    const renamed = await call(admin, 'PATCH', `/projects/${t.projectId}`, { name: 'Refunds' });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toMatchObject({ id: t.projectId, name: 'Refunds', role: 'admin' });
    // The project's own name in another letter case is no conflict.
    expect((await call(admin, 'PATCH', `/projects/${t.projectId}`, { name: 'REFUNDS' })).status).toBe(200);
    expect((await call(admin, 'PATCH', `/projects/${t.projectId}`, { name: 'REFUNDS' })).status).toBe(200);
    expect((await t.events(t.projectId, 'project.renamed')).map(({ data }) => data)).toEqual([
      { name: 'Refunds', previous_name: 'First' },
      { name: 'REFUNDS', previous_name: 'Refunds' },
    ]);
  });

  it('is refused to lesser roles and non-members, and with a taken or empty name', async () => {
    const other = await othersProject();
    for (const role of ['viewer', 'approver'] as const) {
      const refused = await call(await member(role), 'PATCH', `/projects/${t.projectId}`, { name: 'Mine' });
      expectRefusal(refused, 403, 'forbidden', { required: 'project:write' });
    }
    expectRefusal(
      await call(owner, 'PATCH', `/projects/${other}`, { name: 'Mine' }),
      404,
      'project_not_found',
    );
    expectRefusal(await call(owner, 'PATCH', `/projects/${t.projectId}`, { name: 'other' }), 409, 'conflict');
    expectFields(
      await call(owner, 'PATCH', `/projects/${t.projectId}`, { name: ' ' }),
      'invalid_request',
      '/name',
    );
    expect(await names()).toEqual(['First', 'Other']);
  });
});

describe('leaving a project', () => {
  it('is possible in every role, and ends the member’s secret keys', async () => {
    for (const role of ['viewer', 'approver', 'owner'] as const) {
      const person = await member(role);
      const service = role === 'viewer' ? null : await t.addService(`a-${role}@example.org`);
      const left = await call(person, 'POST', `/projects/${t.projectId}/leave`, {});
      expect(left.body).toEqual({ project_id: t.projectId });
      expect((await call(person, 'GET', '/projects')).body).toMatchObject({ data: [] });
      if (service) await expect(t.callerOf(service.key)).rejects.toMatchObject({ code: 'unauthorized' });
    }
    const removed = await t.events(t.projectId, 'member.removed');
    expect(removed.map(({ actor, data }) => [actor.id === data.user_id, data.role])).toEqual([
      [true, 'viewer'],
      [true, 'approver'],
      [true, 'owner'],
    ]);
  });

  it('is refused to the last owner and to non-members', async () => {
    expectRefusal(await call(owner, 'POST', `/projects/${t.projectId}/leave`, {}), 409, 'conflict');
    const other = await othersProject();
    expectRefusal(await call(owner, 'POST', `/projects/${other}/leave`, {}), 404, 'project_not_found');
    expect(await t.gate.storage.read.listMembers(t.projectId)).toHaveLength(1);
  });
});
