import type { JsonObject } from '@permitry/protocol';
import { hashJson } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireSecondPerson } from '../../src/gate/four-eyes/require-second-person.ts';
import { DEFAULT_POLICY } from '../../src/gate/policy/default-policy.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { previewInvitation } from '../../src/people/invitations/accept-invitation.ts';
import { createInvitation } from '../../src/people/invitations/create-invitation.ts';
import { createUserToken } from '../../src/people/keys/user-token.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { broughtIn } from '../fixtures/brought-in.ts';
import { OPERATOR, type Person } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal } from '../surfaces/expect-refusal.ts';

let t: TestApp;
let ann: Person;
let bob: Person;
let base: string;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live', logLevel: 'silent' });
  ann = await t.addPerson('ann@example.org', 'admin');
  bob = await t.addPerson('bob@example.org', 'admin');
  base = `/v1/projects/${t.projectId}/policies`;
});
afterEach(() => t.close());

function denying(action: string): JsonObject {
  return { ...DEFAULT_POLICY, rules: [{ name: 'no', match: { action }, effect: 'deny' }] };
}

const asOwner = () => ({ present: t.owner });
const by = (person: Person) => ({ present: person });

async function askForSecondPerson(): Promise<void> {
  const answer = await t.call('PUT', `${base}/second-person`, { ...asOwner(), body: { required: true } });
  expect(answer.status).toBe(200);
}

const propose = (person: Person, action: string, headers: Record<string, string> = {}) =>
  t.call('POST', `${base}/proposals`, { ...by(person), headers, body: { policy: denying(action) } });

async function proposed(person: Person, action = 'mail.send'): Promise<string> {
  const { status, body } = await propose(person, action);
  expect(status).toBe(201);
  return String(body.id);
}

const act = (person: Person, id: string, verb: string, body: object = {}) =>
  t.call('POST', `${base}/proposals/${id}/${verb}`, { ...by(person), body });

const inForce = async () => (await t.call('GET', base, asOwner())).body;
const isRequired = async () =>
  (await t.call('GET', `/v1/projects/${t.projectId}`, asOwner())).body.policy_second_person;

describe('with the two-person rule', () => {
  beforeEach(askForSecondPerson);

  test('one person alone changes nothing, and the answer says what to do', async () => {
    const before = await inForce();
    for (const person of [ann, t.owner]) {
      const answer = await t.call('PUT', base, { ...by(person), body: denying('mail.send') });
      expectRefusal(answer, 403, 'forbidden', { required: 'second_person' });
    }
    expect(await inForce()).toEqual(before);
    expect(await t.events(t.projectId, 'policy.updated')).toEqual([]);
    // Publishing the active policy again changes nothing.
    expect((await t.call('PUT', base, { ...by(ann), body: { ...DEFAULT_POLICY } })).status).toBe(200);
  });

  test('one person proposes, another publishes, and the audit log names both', async () => {
    const body = { policy: denying('mail.send'), comment: 'Asked for by legal.' };
    const answer = await t.call('POST', `${base}/proposals`, { ...by(ann), body });
    expect(answer.status).toBe(201);
    const hash = hashJson(denying('mail.send'));
    expect(answer.body).toMatchObject({
      change: 'policy',
      status: 'pending',
      hash,
      policy: denying('mail.send'),
      based_on: { version: 1, hash: hashJson(DEFAULT_POLICY) },
      comment: 'Asked for by legal.',
      proposed_by: { id: ann.userId, display: ann.email },
      resolved_by: null,
      version: null,
      warnings: [],
    });
    const id = String(answer.body.id);
    expect((await inForce()).version).toBe(1);

    const approved = await act(bob, id, 'approve');
    expect(approved.status).toBe(200);
    expect(approved.body).toMatchObject({
      id,
      status: 'approved',
      version: 2,
      resolved_by: { id: bob.userId, display: bob.email },
    });
    expect(await inForce()).toMatchObject({ version: 2, hash, created_by: ann.email });
    const read = await t.call('GET', `${base}/proposals/${id}`, by(ann));
    expect(read.body).toEqual(approved.body);
    const intent = { key: t.first.agent_key, body: { action: 'mail.send' } };
    expectRefusal(await t.call('POST', '/v1/intents', intent), 403, 'policy_violation', {
      rule: 'no',
      reason: null,
      intent_id: expect.any(String),
    });

    const events = await t.events(t.projectId, 'policy.proposed', 'policy.updated');
    expect(events).toMatchObject([
      {
        type: 'policy.proposed',
        actor: { type: 'user', id: ann.userId },
        data: { proposal_id: id, change: 'policy', hash, comment: 'Asked for by legal.' },
        commitments: { '/data/comment': { digest: expect.any(String) } },
      },
      {
        type: 'policy.updated',
        actor: { type: 'user', id: bob.userId },
        data: { version: 2, hash, proposal_id: id, proposed_by: ann.userId },
      },
    ]);
  });

  test('nobody approves or rejects their own proposal, in person or with another token', async () => {
    const id = await proposed(ann);
    const again = await t.call('POST', `${base}/proposals/${id}/approve`, { ...by(ann), body: {} });
    expectRefusal(again, 403, 'forbidden', { required: 'second_person' });
    const { key: other } = await createUserToken(t.gate, OPERATOR, {
      name: 'a program of hers',
      email: ann.email,
      rights: ['manage'],
    });
    const through = await t.call('POST', `${base}/proposals/${id}/approve`, { key: other, body: {} });
    expectRefusal(through, 403, 'forbidden', { required: 'policies:write' });
    expectRefusal(await act(ann, id, 'reject'), 403, 'forbidden', { required: 'second_person' });
    expect((await inForce()).version).toBe(1);
    expect((await t.call('GET', `${base}/proposals/${id}`, by(ann))).body.status).toBe('pending');
  });

  test('a service of the proposer, an approver, a viewer and an agent cannot approve', async () => {
    const id = await proposed(ann);
    const service = await t.addService(ann.email);
    const approver = await t.addPerson('al@example.org', 'approver');
    const viewer = await t.addPerson('vi@example.org', 'viewer');
    const reader = await t.addPerson('ro@example.org', 'admin', ['decide']);
    const tokens = [ann, bob, approver, viewer, reader].map(({ token }) => token);
    for (const key of [service.key, ...tokens, t.first.agent_key]) {
      for (const verb of ['approve', 'reject', 'withdraw']) {
        const answer = await t.call('POST', `${base}/proposals/${id}/${verb}`, { key, body: {} });
        expectRefusal(answer, 403, 'forbidden', { required: 'policies:write' });
      }
      const answer = await t.call('POST', `${base}/proposals`, { key, body: { policy: denying('a') } });
      expectRefusal(answer, 403, 'forbidden', { required: 'policies:write' });
    }
    expect((await t.call('GET', `${base}/proposals/${id}`, { key: viewer.token })).body.status).toBe(
      'pending',
    );
    expectRefusal(await t.call('GET', `${base}/proposals`, { key: t.first.agent_key }), 403, 'forbidden', {
      required: 'policies:read',
    });
    expect((await inForce()).version).toBe(1);
  });

  test('a proposal based on a version that is no longer active cannot be approved', async () => {
    const first = await proposed(ann, 'a');
    const second = await proposed(ann, 'b');
    expect((await act(bob, first, 'approve')).status).toBe(200);
    const answer = await act(bob, second, 'approve');
    expectRefusal(answer, 409, 'conflict');
    expect(answer.text).toContain('version 2 is active now');
    expect(await inForce()).toMatchObject({ version: 2, policy: denying('a') });
    // The proposal stays out of date even if its base document becomes active again.
    const third = await proposed(bob, 'c');
    const put = (document: JsonObject) => putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document });
    await put(denying('x'));
    await put(denying('a'));
    expectRefusal(await act(ann, third, 'approve'), 409, 'conflict');
    expect((await inForce()).version).toBe(4);
  });

  test('a proposal names the policy it is based on, and is refused if that is not active', async () => {
    const stale = await propose(ann, 'a', { 'if-match': `"${hashJson(denying('z'))}"` });
    expectRefusal(stale, 412, 'precondition_failed');
    const { status } = await propose(ann, 'a', { 'if-match': `"${hashJson(DEFAULT_POLICY)}"` });
    expect(status).toBe(201);
    const same = await t.call('POST', `${base}/proposals`, {
      ...by(ann),
      body: { policy: { ...DEFAULT_POLICY } },
    });
    expectRefusal(same, 409, 'conflict');
  });

  test('when one person approves a proposal while another rejects it, only one succeeds: an approval makes one version, a rejection none', async () => {
    const id = await proposed(ann);
    const verbs = Array.from({ length: 10 }, (_, index) => (index % 5 === 4 ? 'reject' : 'approve'));
    const answers = await Promise.all(
      verbs.map((verb, index) => act(index % 2 === 0 ? bob : t.owner, id, verb)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 409, 'conflict');
    const { status } = (await t.call('GET', `${base}/proposals/${id}`, by(ann))).body;
    const updates = await t.events(t.projectId, 'policy.updated');
    expect(updates).toHaveLength(status === 'approved' ? 1 : 0);
    expect((await inForce()).version).toBe(status === 'approved' ? 2 : 1);
  });

  test('a proposal can be rejected with a reason, or withdrawn by its proposer, only once', async () => {
    const first = await proposed(ann, 'a');
    expectRefusal(await act(bob, first, 'withdraw'), 403, 'forbidden', { required: 'proposer' });
    const rejected = await act(bob, first, 'reject', { reason: 'Too wide.' });
    expect(rejected.body).toMatchObject({ status: 'rejected', reason: 'Too wide.', version: null });
    const second = await proposed(ann, 'b');
    expect((await act(ann, second, 'withdraw')).body).toMatchObject({ status: 'withdrawn' });
    for (const id of [first, second]) {
      for (const verb of ['approve', 'reject']) expectRefusal(await act(bob, id, verb), 409, 'conflict');
      expectRefusal(await act(ann, id, 'withdraw'), 409, 'conflict');
    }
    expect((await inForce()).version).toBe(1);
    expect(
      await t.events(t.projectId, 'policy.proposal_rejected', 'policy.proposal_withdrawn'),
    ).toMatchObject([
      { actor: { id: bob.userId }, data: { proposal_id: first, reason: 'Too wide.' } },
      { actor: { id: ann.userId }, data: { proposal_id: second, reason: null } },
    ]);
  });

  test('a proposal cannot be approved after its proposer was removed or demoted', async () => {
    const id = await proposed(ann);
    const ids = { projectId: t.projectId, userId: ann.userId };
    await changeRole(t.gate, OPERATOR, { ...ids, role: 'approver' });
    expectRefusal(await act(bob, id, 'approve'), 409, 'conflict');
    await removeMember(t.gate, OPERATOR, ids);
    expectRefusal(await act(bob, id, 'approve'), 409, 'conflict');
    expect((await inForce()).version).toBe(1);
    expect((await act(bob, id, 'reject')).status).toBe(200);
  });

  test('everyone named in a proposal must still exist when it is published', async () => {
    const cy = await t.addPerson('cy@example.org', 'approver');
    const policy = { ...DEFAULT_POLICY, default: { approvers: [cy.email] } };
    const { body } = await t.call('POST', `${base}/proposals`, { ...by(ann), body: { policy } });
    await removeMember(t.gate, OPERATOR, { projectId: t.projectId, userId: cy.userId });
    const answer = await act(bob, String(body.id), 'approve');
    expectRefusal(answer, 422, 'approver_not_found', { approvers: [cy.email] });
    expect((await inForce()).version).toBe(1);
  });

  test('a document with mistakes or unknown names cannot be proposed', async () => {
    const post = (policy: JsonObject) =>
      t.call('POST', `${base}/proposals`, { ...by(ann), body: { policy } });
    const rules = [{ name: 'x', when: 'parms.a', effect: 'deny' }];
    expectFields(await post({ ...DEFAULT_POLICY, rules }), 'invalid_request', '/policy/rules/0/when');
    const stranger = await post({ ...DEFAULT_POLICY, default: { approvers: ['treasury'] } });
    expectRefusal(stranger, 422, 'approver_not_found', { approvers: ['treasury'] });
    expect((await t.call('GET', `${base}/proposals`, by(ann))).body.data).toEqual([]);
    expect(await t.events(t.projectId, 'policy.proposed')).toEqual([]);
  });

  test('proposals of another project are not found', async () => {
    const id = await proposed(ann);
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'live',
      ownerEmail: bob.email,
    });
    const there = `/v1/projects/${project.id}/policies/proposals`;
    expectRefusal(await t.call('POST', `${there}/${id}/approve`, { ...by(bob), body: {} }), 404, 'not_found');
    expectRefusal(await t.call('GET', `${there}/${id}`, by(bob)), 404, 'not_found');
    expect((await t.call('GET', there, by(bob))).body.data).toEqual([]);
    const stranger = await t.call('POST', `${there}/${id}/approve`, { ...by(ann), body: {} });
    expectRefusal(stranger, 404, 'project_not_found');
    expect((await inForce()).version).toBe(1);
  });

  test('the operator can publish alone, and the audit log says so', async () => {
    await putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document: denying('x') });
    expect(await inForce()).toMatchObject({ version: 2, created_by: 'operator' });
    expect(await t.events(t.projectId, 'policy.updated')).toMatchObject([
      { actor: { type: 'operator' }, data: { version: 2 } },
    ]);
  });

  test('one person can set a shadow policy, which decides nothing, but publishing it takes two', async () => {
    const shadow = await t.call('PUT', `${base}/shadow`, { ...by(ann), body: denying('x') });
    expect(shadow.status).toBe(200);
    expectRefusal(await t.call('PUT', base, { ...by(ann), body: denying('x') }), 403, 'forbidden', {
      required: 'second_person',
    });
  });

  test('only 20 proposals can be pending, and a call repeated with its Idempotency-Key makes no second one', async () => {
    const once = { 'idempotency-key': 'k1' };
    const first = await propose(ann, 'once', once);
    const repeated = await propose(ann, 'once', once);
    expect([first.status, repeated.status]).toEqual([201, 201]);
    expect(repeated.body).toEqual(first.body);
    for (let n = 1; n < 20; n++) await proposed(n % 2 === 0 ? ann : bob, `a${n}`);
    expectRefusal(await propose(ann, 'one-more'), 409, 'conflict');
    const ids: unknown[] = [];
    for (let cursor = ''; ; ) {
      const url = `${base}/proposals?limit=8&status=pending${cursor}`;
      const { body } = await t.call('GET', url, by(ann));
      ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${String(body.next_cursor)}`;
    }
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
    expect(ids).toHaveLength(20);
  });
});

describe('the second person', () => {
  beforeEach(askForSecondPerson);

  test('cannot be created by an admin alone: only an owner gives a role that may approve', async () => {
    const members = `/v1/projects/${t.projectId}/members`;
    const required = { required: 'role:owner' };
    const cy = await t.addPerson('cy@example.org', 'approver');
    const add = (person: Person, email: string, role: string) =>
      t.call('POST', members, { ...by(person), body: { email, role } });
    const promote = (person: Person) =>
      t.call('PATCH', `${members}/${cy.userId}`, { ...by(person), body: { role: 'admin' } });
    expectRefusal(await add(ann, 'second@example.org', 'admin'), 403, 'forbidden', required);
    expectRefusal(await promote(ann), 403, 'forbidden', required);
    const invited = { projectId: t.projectId, email: 'third@example.org', role: 'admin' as const };
    expect(await refusalOf(createInvitation(t.gate, await ann.present(), invited))).toMatchObject({
      code: 'forbidden',
      details: required,
    });
    const roles = (await t.gate.storage.read.listMembers(t.projectId)).map(
      ({ email, role }) => `${email} ${role}`,
    );
    expect(roles).toHaveLength(4);
    expect(roles).toContain('cy@example.org approver');

    expect((await add(ann, 'fourth@example.org', 'approver')).status).toBe(201);
    expect((await promote(t.owner)).status).toBe(200);
    expect((await add(t.owner, 'fifth@example.org', 'admin')).status).toBe(201);
  });

  test('cannot come from an invitation that an admin made before', async () => {
    const off = { projectId: t.projectId, required: false };
    await requireSecondPerson(t.gate, OPERATOR, off);
    const invited = { projectId: t.projectId, email: 'third@example.org', role: 'admin' as const };
    const { link } = await createInvitation(t.gate, await ann.present(), invited);
    const token = String(link).split('#')[1] ?? '';
    expect((await previewInvitation(t.gate, { token })).email).toBe('third@example.org');
    await requireSecondPerson(t.gate, OPERATOR, { ...off, required: true });
    expect((await refusalOf(previewInvitation(t.gate, { token }))).code).toBe('not_found');
  });

  test('cannot be a member who was added by a program of the proposer', async () => {
    const { headers } = await broughtIn(t, [t.owner], 'made@example.org', 'admin');
    const id = await proposed(t.owner);
    for (const verb of ['approve', 'reject']) {
      const answer = await t.call('POST', `${base}/proposals/${id}/${verb}`, { headers, body: {} });
      expectRefusal(answer, 403, 'forbidden', { required: 'second_person' });
    }
    expect((await inForce()).version).toBe(1);
    const others = await proposed(ann, 'b');
    const approved = await t.call('POST', `${base}/proposals/${others}/approve`, { headers, body: {} });
    expect(approved.status).toBe(200);
  });
});

describe('the setting of the two-person rule', () => {
  const set = (person: Person, required: boolean) =>
    t.call('PUT', `${base}/second-person`, { present: person, body: { required } });

  test('can be turned on by an owner but not by an admin', async () => {
    expectRefusal(await set(ann, true), 403, 'forbidden', { required: 'role:owner' });
    expect(await isRequired()).toBe(false);
    expect((await set(t.owner, true)).body).toEqual({ required: true, proposal: null });
    expect(await isRequired()).toBe(true);
    expect((await set(t.owner, true)).status).toBe(200);
    expect(await t.events(t.projectId, 'policy.second_person_updated')).toMatchObject([
      { actor: { id: t.owner.userId }, data: { required: true } },
    ]);
  });

  test('needs a second person to turn it off', async () => {
    await askForSecondPerson();
    expectRefusal(await set(ann, false), 403, 'forbidden', { required: 'role:owner' });
    const asked = await set(t.owner, false);
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({
      required: true,
      proposal: { change: 'second_person_off', status: 'pending', hash: null, policy: null },
    });
    expect(await isRequired()).toBe(true);
    expectRefusal(await set(t.owner, false), 409, 'conflict');
    const { id } = asked.body.proposal as { id: string };
    expectRefusal(await act(t.owner, id, 'approve'), 403, 'forbidden', { required: 'second_person' });
    expect(await isRequired()).toBe(true);
    expect((await act(ann, id, 'approve')).body).toMatchObject({ status: 'approved', version: null });
    expect(await isRequired()).toBe(false);
    expect((await t.call('PUT', base, { ...by(ann), body: denying('a') })).status).toBe(200);
    expect((await t.events(t.projectId, 'policy.second_person_updated')).at(-1)).toMatchObject({
      actor: { id: ann.userId },
      data: { required: false, proposal_id: id, proposed_by: t.owner.userId },
    });
  });

  test('cannot be turned on if nobody could be the second person', async () => {
    for (const { userId } of [ann, bob]) {
      await changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId, role: 'approver' });
    }
    expectRefusal(await set(t.owner, true), 409, 'conflict');
    expect(await isRequired()).toBe(false);
  });

  test('is refused in a test project, where a service may change the policy but cannot propose', async () => {
    const test = await openTestApp({ mode: 'test', logLevel: 'silent' });
    await test.addPerson('ann@example.org', 'admin');
    const url = `/v1/projects/${test.projectId}/policies`;
    const ask = await test.call('PUT', `${url}/second-person`, {
      key: test.owner.token,
      body: { required: true },
    });
    expectRefusal(ask, 409, 'conflict');
    const asService = { key: test.first.secret_key, body: { policy: denying('a') } };
    expectRefusal(await test.call('POST', `${url}/proposals`, asService), 403, 'forbidden', {
      required: 'person',
    });
    expect(await test.events(test.projectId, 'policy.proposed', 'policy.second_person_updated')).toEqual([]);
    await test.close();
  });
});
