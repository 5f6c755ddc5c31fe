import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { createUserToken, revokeUserToken } from '../../src/people/keys/user-token.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  await addMember(t.gate, OPERATOR, { projectId: t.projectId, email: 'ann@example.org', role: 'approver' });
});
afterEach(() => t.close());

const ann = { name: 'laptop', email: 'ann@example.org' };

test('a token follows its person into every project, with their current role there', async () => {
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'test',
    ownerEmail: 'ann@example.org',
  });
  const { key, record } = await createUserToken(t.gate, OPERATOR, { ...ann, rights: ['decide'] });
  expect(key).toMatch(/^prm_user_/);
  expect(record).toMatchObject({ kind: 'user', projectId: null, rights: ['decide'] });
  const caller = await t.callerOf(key);
  expect(caller).toMatchObject({ kind: 'user', user: { email: 'ann@example.org' }, rights: ['decide'] });
  if (caller.kind !== 'user') throw new Error('not a person');
  expect(new Map(caller.memberships.map((m) => [m.projectId, m.role]))).toEqual(
    new Map([
      [t.projectId, 'approver'],
      [project.id, 'owner'],
    ]),
  );
  await changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: caller.user.id, role: 'viewer' });
  expect(await t.callerOf(key)).toMatchObject({
    memberships: expect.arrayContaining([
      expect.objectContaining({ projectId: t.projectId, mode: 'live', role: 'viewer' }),
    ]),
  });
  for (const projectId of [t.projectId, project.id])
    expect((await t.events(projectId, 'key.created')).at(-1)).toMatchObject({
      data: { key_id: record.id, kind: 'user', rights: ['decide'] },
    });
});

test('a token with rights beyond reading is valid for twelve hours by default and at most', async () => {
  const { key, record } = await createUserToken(t.gate, OPERATOR, { ...ann, rights: ['manage'] });
  expect(record.expiresAt).toBe('2026-11-21T00:00:00.000Z');
  const shorter = await createUserToken(t.gate, OPERATOR, {
    ...ann,
    rights: ['decide'],
    expiresAt: '2026-11-20T12:30:00Z',
  });
  expect(shorter.record.expiresAt).toBe('2026-11-20T12:30:00.000Z');
  const longer = { ...ann, rights: ['decide'] as const, expiresAt: '2026-11-21T00:00:00.001Z' };
  expect(await refusalOf(createUserToken(t.gate, OPERATOR, longer))).toMatchObject({
    code: 'invalid_fields',
    details: { fields: [{ path: '/expires_at' }] },
  });
  t.clock.advance(12 * 3600);
  expect(await refusalOf(t.callerOf(key))).toMatchObject({ code: 'unauthorized' });
});

test('a token that only reads can be valid until it is revoked', async () => {
  const { key, record } = await createUserToken(t.gate, OPERATOR, { ...ann, rights: [] });
  expect(record.expiresAt).toBeNull();
  t.clock.advance(365 * 86400);
  expect(await t.callerOf(key)).toMatchObject({ kind: 'user', rights: [] });
});

test('only the operator creates a token', async () => {
  const before = await t.events(t.projectId);
  for (const caller of [t.secret, t.agent, t.verifier, t.owner.caller])
    expect(await refusalOf(createUserToken(t.gate, caller, { ...ann, rights: [] }))).toMatchObject({
      code: 'forbidden',
      details: { required: 'operator' },
    });
  expect(await t.events(t.projectId)).toEqual(before);
});

test.each(['nobody@example.org', 'no address'])('no token is created for %s', async (email) => {
  expect(await refusalOf(createUserToken(t.gate, OPERATOR, { name: 'x', email, rights: [] }))).toMatchObject({
    code: 'invalid_fields',
    details: { fields: [{ path: '/email' }] },
  });
});

test('people can revoke their own tokens, the operator any token, and others none', async () => {
  const own = await createUserToken(t.gate, OPERATOR, { ...ann, rights: [] });
  const other = await createUserToken(t.gate, OPERATOR, { ...ann, rights: [] });
  const input = { keyId: own.record.id };
  for (const caller of [t.owner.caller, t.secret, t.agent, t.verifier])
    expect(await refusalOf(revokeUserToken(t.gate, caller, input))).toMatchObject({ code: 'not_found' });
  await revokeUserToken(t.gate, await t.callerOf(own.key), input);
  expect(await refusalOf(t.callerOf(own.key))).toMatchObject({ code: 'unauthorized' });
  await revokeUserToken(t.gate, OPERATOR, { keyId: other.record.id });
  await revokeUserToken(t.gate, OPERATOR, { keyId: other.record.id });
  expect(await refusalOf(t.callerOf(other.key))).toMatchObject({ code: 'unauthorized' });
  expect(await t.events(t.projectId, 'key.revoked')).toHaveLength(2);
  expect(await refusalOf(revokeUserToken(t.gate, OPERATOR, { keyId: t.secret.credentialId }))).toMatchObject({
    code: 'not_found',
  });
});
