import type { JsonObject } from '@permitry/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { listGroups } from '../../src/people/groups/list-groups.ts';
import { removeGroup } from '../../src/people/groups/remove-group.ts';
import { saveGroup } from '../../src/people/groups/save-group.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import {
  OPERATOR,
  OWNER_EMAIL,
  openTestGate,
  type Person,
  type TestGate,
} from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
let ann: Person;
beforeEach(async () => {
  t = await openTestGate();
  ann = await t.addPerson('ann@example.org', 'approver');
});
afterEach(() => t.close());

const save = (name: string, members: readonly string[]) =>
  saveGroup(t.gate, t.secret, { projectId: t.projectId, name, members });
const groups = async () => (await listGroups(t.gate, t.secret, { projectId: t.projectId })).items;

test('a group consists of addresses and ids of members, each once', async () => {
  const group = await save('finance', [' ANN@example.org ', ann.userId, OWNER_EMAIL]);
  expect(group.memberIds).toEqual([ann.userId, t.owner.userId]);
  const [stored] = await groups();
  expect(stored?.memberIds.toSorted()).toEqual([ann.userId, t.owner.userId].toSorted());
});

test('saving a group again replaces its members, and the audit log says who added and removed whom', async () => {
  const made = await save('finance', [ann.email]);
  t.clock.advance(60);
  await save('finance', [OWNER_EMAIL]);
  expect(await groups()).toEqual([{ ...made, memberIds: [t.owner.userId] }]);
  expect(await t.events(t.projectId, 'group.updated')).toMatchObject([
    { data: { name: 'finance', created: true, added: [ann.userId], removed: [] } },
    {
      actor: { id: t.secret.credentialId },
      data: { created: false, added: [t.owner.userId], removed: [ann.userId] },
    },
  ]);
});

test('saving an equal group changes nothing', async () => {
  await save('finance', [ann.email, OWNER_EMAIL]);
  const before = await t.project();
  await save('finance', [OWNER_EMAIL, ann.email]);
  expect(await t.project()).toEqual(before);
});

test('a group with addresses that belong to no member is not saved, and all of them are named', async () => {
  const { owner } = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'test',
    ownerEmail: 'bob@example.org',
  });
  const before = await t.project();
  const refusal = await refusalOf(save('finance', ['nobody@example.org', ann.email, owner.id, 'x']));
  expect(refusal).toMatchObject({
    code: 'invalid_fields',
    details: { fields: [{ path: '/members/0' }, { path: '/members/2' }, { path: '/members/3' }] },
  });
  expect(await groups()).toEqual([]);
  expect(await t.project()).toEqual(before);
});

test.each([
  '',
  'Finance',
  'role:approver',
  'ann@example.org',
  '-finance',
  'fi nance',
  'a'.repeat(65),
  'fin\u200bance',
])('%j is not a valid name of a group', async (name) => {
  expect(await refusalOf(save(name, []))).toMatchObject({
    code: 'invalid_fields',
    details: { fields: [{ path: '/name' }] },
  });
  expect(await groups()).toEqual([]);
});

test('a group can be removed once, and a repetition finds no group', async () => {
  await save('finance', [ann.email]);
  const input = { projectId: t.projectId, name: 'finance' };
  await removeGroup(t.gate, t.secret, input);
  expect(await groups()).toEqual([]);
  expect(await refusalOf(removeGroup(t.gate, t.secret, input))).toMatchObject({ code: 'not_found' });
  expect(await t.events(t.projectId, 'group.removed')).toMatchObject([{ data: { name: 'finance' } }]);
});

const ASKS_FINANCE: JsonObject = {
  name: 'p',
  default: { approvers: ['role:approver'] },
  rules: [
    {
      name: 'big refunds',
      match: { action: 'payments.refund' },
      effect: 'require_approval',
      require: [{ from: ['role:owner', 'finance'], count: 1 }],
    },
  ],
};

test.each<[string, JsonObject, string]>([
  ['a rule', ASKS_FINANCE, '/rules/0/require/0'],
  ['the default', { name: 'p', default: { approvers: ['finance'] }, rules: [] }, '/default'],
])(
  'a group that %s of the active policy asks for stays until the policy no longer does',
  async (_, document, where) => {
    const group = await save('finance', [ann.email]);
    await putPolicy(t.gate, t.secret, { projectId: t.projectId, document });
    const before = await t.project();
    const input = { projectId: t.projectId, name: 'finance' };
    const refusal = await refusalOf(removeGroup(t.gate, t.secret, input));
    expect(refusal).toMatchObject({ code: 'conflict', message: expect.stringContaining(where) });
    expect(await groups()).toEqual([group]);
    expect(await t.project()).toEqual(before);
    expect(await t.events(t.projectId, 'group.removed')).toEqual([]);

    const nobodyNamed = { ...document, default: { approvers: ['role:approver'] }, rules: [] };
    await putPolicy(t.gate, t.secret, { projectId: t.projectId, document: nobodyNamed });
    await removeGroup(t.gate, t.secret, input);
    expect(await groups()).toEqual([]);
  },
);

test('removing a member may leave a group that the policy asks for empty', async () => {
  await save('finance', [ann.email]);
  await putPolicy(t.gate, t.secret, { projectId: t.projectId, document: ASKS_FINANCE });
  await removeMember(t.gate, t.secret, { projectId: t.projectId, userId: ann.userId });
  expect(await groups()).toMatchObject([{ name: 'finance', memberIds: [] }]);
});

test('when a policy and the removal of a group it asks for arrive at once, one of them is refused', async () => {
  await save('finance', [ann.email]);
  const { projectId } = t;
  const both = await Promise.allSettled([
    putPolicy(t.gate, t.secret, { projectId, document: ASKS_FINANCE }),
    removeGroup(t.gate, t.secret, { projectId, name: 'finance' }),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('a saved group applies at once', async () => {
  const names = async () =>
    (await t.gate.projectSettings.current(t.projectId)).people.approversNamed('finance');
  expect(await names()).toEqual(new Set());
  await save('finance', [ann.email]);
  expect(await names()).toEqual(new Set([ann.userId]));
  await save('finance', []);
  expect(await names()).toEqual(new Set());
});
