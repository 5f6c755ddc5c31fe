import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionCaller } from '../../src/gate/access/caller.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { listGroups } from '../../src/people/groups/list-groups.ts';
import { saveGroup } from '../../src/people/groups/save-group.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { listMembers } from '../../src/people/members/list-members.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { OPERATOR, OWNER_EMAIL, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
let owner: SessionCaller;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  owner = await t.owner.present();
});
afterEach(() => t.close());

const roles = async () => {
  const { items } = await listMembers(t.gate, OPERATOR, { projectId: t.projectId });
  return Object.fromEntries(items.map((member) => [member.email, member.role]));
};

async function refusedWithoutEffect(operation: () => Promise<unknown>) {
  const before = [await t.project(), await t.events(t.projectId), await roles()];
  const refusal = await refusalOf(operation());
  expect([await t.project(), await t.events(t.projectId), await roles()]).toEqual(before);
  return refusal;
}

describe('adding a member', () => {
  test('stores one spelling of the address', async () => {
    const input = { projectId: t.projectId, email: ' Ann@Example.ORG ', role: 'approver' } as const;
    const member = await addMember(t.gate, owner, input);
    expect(member).toMatchObject({ email: 'ann@example.org', role: 'approver', createdAt: t.clock.now() });
    expect(await roles()).toEqual({ [OWNER_EMAIL]: 'owner', 'ann@example.org': 'approver' });
    const refusal = await refusedWithoutEffect(() =>
      addMember(t.gate, owner, { ...input, email: 'ANN@example.org', role: 'viewer' }),
    );
    expect(refusal).toMatchObject({ code: 'conflict' });
  });

  test('keeps one user for the same person in two projects', async () => {
    const ann = await t.addPerson('ann@example.org', 'viewer');
    const { owner } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'test',
      ownerEmail: 'ANN@example.org',
    });
    expect(owner.id).toBe(ann.userId);
  });

  test('stores the address beside the chain, so that it can be erased', async () => {
    await addMember(t.gate, owner, {
      projectId: t.projectId,
      email: 'ann@example.org',
      role: 'viewer',
    });
    const [event] = await t.events(t.projectId, 'member.added');
    expect(event).toMatchObject({ data: { email: 'ann@example.org', role: 'viewer' } });
    expect(Object.keys(event?.commitments ?? {}).toSorted()).toEqual(['/actor/display', '/data/email']);
  });

  test('refuses a text that is not an address', async () => {
    const refusal = await refusedWithoutEffect(() =>
      addMember(t.gate, owner, { projectId: t.projectId, email: 'ann', role: 'viewer' }),
    );
    expect(refusal).toMatchObject({ code: 'invalid_fields', details: { fields: [{ path: '/email' }] } });
  });

  test('lets one of ten simultaneous requests add the person', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        addMember(t.gate, owner, {
          projectId: t.projectId,
          email: 'ann@example.org',
          role: 'viewer',
        }),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(9).fill('conflict'));
    expect(await t.events(t.projectId, 'member.added')).toHaveLength(1);
  });
});

describe('nobody can change a role above their own', () => {
  test('an admin can add viewers, approvers and admins, but no owner', async () => {
    const admin = await (await t.addPerson('admin@example.org', 'admin')).present();
    for (const role of ['viewer', 'approver', 'admin'] as const)
      await addMember(t.gate, admin, { projectId: t.projectId, email: `${role}@x.org`, role });
    expect(
      await refusedWithoutEffect(() =>
        addMember(t.gate, admin, { projectId: t.projectId, email: 'owner@x.org', role: 'owner' }),
      ),
    ).toMatchObject({ code: 'forbidden', details: { required: 'role:owner' } });
  });

  test('an admin can neither make anyone an owner, including themselves, nor demote or remove an owner', async () => {
    const admin = await (await t.addPerson('admin@example.org', 'admin')).present();
    const other = await t.addPerson('other@example.org', 'owner');
    const raiseSelf = { projectId: t.projectId, userId: admin.user.id, role: 'owner' } as const;
    const demote = { projectId: t.projectId, userId: other.userId, role: 'viewer' } as const;
    for (const operation of [
      () => changeRole(t.gate, admin, raiseSelf),
      () => changeRole(t.gate, admin, demote),
      () => removeMember(t.gate, admin, { projectId: t.projectId, userId: other.userId }),
    ])
      expect(await refusedWithoutEffect(operation)).toMatchObject({
        code: 'forbidden',
        details: { required: 'role:owner' },
      });
  });

  test('an owner can make another member an owner', async () => {
    const ann = await t.addPerson('ann@example.org', 'viewer');
    await changeRole(t.gate, owner, { projectId: t.projectId, userId: ann.userId, role: 'owner' });
    expect(await roles()).toMatchObject({ 'ann@example.org': 'owner' });
    expect(await t.events(t.projectId, 'member.updated')).toMatchObject([
      { data: { email: 'ann@example.org', role: 'owner', previous_role: 'viewer' } },
    ]);
  });
});

describe('the last owner', () => {
  test('is neither demoted nor removed, not even by the operator', async () => {
    const userId = t.owner.userId;
    for (const caller of [owner, OPERATOR]) {
      for (const operation of [
        () => changeRole(t.gate, caller, { projectId: t.projectId, userId, role: 'admin' }),
        () => removeMember(t.gate, caller, { projectId: t.projectId, userId }),
      ])
        expect(await refusedWithoutEffect(operation)).toMatchObject({ code: 'conflict' });
    }
  });

  test('can leave once there is another', async () => {
    const ann = await t.addPerson('ann@example.org', 'owner');
    const present = await ann.present();
    await removeMember(t.gate, owner, { projectId: t.projectId, userId: t.owner.userId });
    expect(await roles()).toEqual({ 'ann@example.org': 'owner' });
    expect(
      await refusedWithoutEffect(() =>
        changeRole(t.gate, present, { projectId: t.projectId, userId: ann.userId, role: 'viewer' }),
      ),
    ).toMatchObject({ code: 'conflict' });
  });

  test.each(['each other', 'themselves'])('remains when two owners demote %s at once', async (whom) => {
    const ann = await t.addPerson('ann@example.org', 'owner');
    const present = await ann.present();
    const [first, second] = whom === 'themselves' ? [t.owner, ann] : [ann, t.owner];
    const outcomes = await Promise.allSettled([
      changeRole(t.gate, owner, { projectId: t.projectId, userId: first.userId, role: 'admin' }),
      removeMember(t.gate, present, { projectId: t.projectId, userId: second.userId }),
    ]);
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(Object.values(await roles()).filter((role) => role === 'owner')).toHaveLength(1);
  });

  test('remains when the operator demotes two owners at once', async () => {
    const ann = await t.addPerson('ann@example.org', 'owner');
    const outcomes = await Promise.allSettled(
      [ann.userId, t.owner.userId].map((userId) =>
        changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId, role: 'viewer' }),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(['conflict']);
    expect(Object.values(await roles()).toSorted()).toEqual(['owner', 'viewer']);
  });
});

test('a removed member leaves all groups, and the earlier role stays in the audit log', async () => {
  const ann = await t.addPerson('ann@example.org', 'approver');
  await saveGroup(t.gate, owner, {
    projectId: t.projectId,
    name: 'finance',
    members: ['ann@example.org', OWNER_EMAIL],
  });
  await removeMember(t.gate, owner, { projectId: t.projectId, userId: ann.userId });
  const groups = await listGroups(t.gate, OPERATOR, { projectId: t.projectId });
  expect(groups.items).toMatchObject([{ name: 'finance', memberIds: [t.owner.userId] }]);
  expect(await t.callerOf(ann.token)).toMatchObject({ memberships: [] });
  expect(await t.events(t.projectId, 'member.removed')).toMatchObject([
    { data: { user_id: ann.userId, email: 'ann@example.org', role: 'approver' } },
  ]);
  const again = () => removeMember(t.gate, owner, { projectId: t.projectId, userId: ann.userId });
  expect(await refusedWithoutEffect(again)).toMatchObject({ code: 'not_found' });
});

test('giving the same role again changes nothing', async () => {
  const before = await t.project();
  const input = { projectId: t.projectId, userId: t.owner.userId, role: 'owner' } as const;
  expect(await changeRole(t.gate, owner, input)).toMatchObject({ role: 'owner' });
  expect(await t.project()).toEqual(before);
});

test('members are listed newest first, page by page', async () => {
  for (const name of ['a', 'b', 'c']) {
    t.clock.advance(1);
    await t.addPerson(`${name}@example.org`, 'viewer');
  }
  const first = await listMembers(t.gate, t.secret, { projectId: t.projectId, limit: 2 });
  expect(first.items.map((member) => member.email)).toEqual(['c@example.org', 'b@example.org']);
  const second = await listMembers(t.gate, t.secret, {
    projectId: t.projectId,
    limit: 2,
    cursor: first.nextCursor ?? '',
  });
  expect(second.items.map((member) => member.email)).toEqual(['a@example.org', OWNER_EMAIL]);
  expect(second.nextCursor).toBeNull();
});
