import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/gate/access/caller.ts';
import { pauseAgent, revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { registerAgent } from '../../src/gate/agents/register-agent.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { createKey, type NewKey } from '../../src/people/keys/create-key.ts';
import { listKeys } from '../../src/people/keys/list-keys.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { OPERATOR, OWNER_EMAIL, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
beforeEach(async () => {
  t = await openTestGate();
});
afterEach(() => t.close());

function create(caller: Caller, key: Omit<NewKey, 'projectId' | 'name'> & { name?: string }) {
  return createKey(t.gate, caller, { projectId: t.projectId, name: 'a key', ...key });
}

async function refusedWithoutEffect(operation: () => Promise<unknown>) {
  const before = [await t.project(), await t.events(t.projectId), await keyIds()];
  const refusal = await refusalOf(operation());
  expect([await t.project(), await t.events(t.projectId), await keyIds()]).toEqual(before);
  return refusal;
}

async function keyIds() {
  return (await listKeys(t.gate, OPERATOR, { projectId: t.projectId })).items.map((key) => key.id);
}

describe('creating a key', () => {
  test('stores only the hash and the last four characters, and shows the text once', async () => {
    const { key, record } = await create(t.secret, { kind: 'secret' });
    expect(key).toMatch(/^prm_secret_test_/);
    const stored = await t.gate.storage.read.findKey(record.id);
    expect(stored).toMatchObject({
      hash: createHash('sha256').update(key).digest('hex'),
      hint: key.slice(-4),
    });
    expect(record).not.toHaveProperty('hash');
    const listed = await listKeys(t.gate, t.secret, { projectId: t.projectId });
    const ledger = await t.events(t.projectId);
    expect(JSON.stringify([listed, ledger, stored, record])).not.toContain(key);
    expect(JSON.stringify([listed, ledger])).not.toContain(stored?.hash);
  });

  test('never creates the same key twice', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => create(t.secret, { kind: 'verify' })));
    expect(new Set(made.map(({ key }) => key)).size).toBe(20);
  });

  test('lets a secret key act for its creator', async () => {
    const byService = await create(t.secret, { kind: 'secret', name: 'by service' });
    expect(await t.callerOf(byService.key)).toMatchObject({ owner: { email: OWNER_EMAIL, role: 'owner' } });
    const ann = await t.addPerson('ann@example.org', 'admin');
    const byPerson = await create(ann.caller, { kind: 'secret', name: 'by person' });
    expect(await t.callerOf(byPerson.key)).toMatchObject({
      kind: 'secret',
      keyName: 'by person',
      owner: { id: ann.userId, role: 'admin' },
    });
  });

  test('lets the operator name the member that a secret key acts for', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const { record } = await create(OPERATOR, { kind: 'secret', ownerEmail: ' Ann@Example.org ' });
    expect(record.ownerId).toBe(ann.userId);
    for (const ownerEmail of [null, 'nobody@example.org', 'no address']) {
      const refusal = await refusedWithoutEffect(() => create(OPERATOR, { kind: 'secret', ownerEmail }));
      expect(refusal).toMatchObject({ code: 'invalid_fields', details: { fields: [{ path: '/owner' }] } });
    }
  });

  test('lets nobody else name an owner', async () => {
    await t.addPerson('ann@example.org', 'owner');
    for (const caller of [t.secret, t.owner.caller]) {
      const refusal = await refusedWithoutEffect(() =>
        create(caller, { kind: 'secret', ownerEmail: 'ann@example.org' }),
      );
      expect(refusal).toMatchObject({ code: 'invalid_fields', details: { fields: [{ path: '/owner' }] } });
    }
  });

  test('puts everyone who creates a key of an agent behind that agent, even through a program', async () => {
    const agent = await t.addAgent({ name: 'refund-bot', ownerId: t.owner.userId });
    const ann = await t.addPerson('ann@example.org', 'admin');
    const service = await t.addService('ann@example.org');
    const bob = await t.addPerson('bob@example.org', 'admin');
    for (const caller of [service.caller, bob.caller, OPERATOR]) {
      const { record } = await create(caller, { kind: 'agent', agentId: agent.agent.id });
      expect(record.ownerId).toBeNull();
    }
    const { behind } = (await t.gate.storage.read.findAgent(t.projectId, agent.agent.id)) ?? {};
    expect(behind).toEqual([t.owner.userId, ann.userId, bob.userId]);
  });

  test('lets a verifier key act for nobody', async () => {
    const { key, record } = await create(t.secret, { kind: 'verify' });
    expect(record).toMatchObject({ ownerId: null, agentId: null });
    expect(await t.callerOf(key)).toMatchObject({ kind: 'verify', projectId: t.projectId });
  });

  test('requires an active agent of this project for an agent key', async () => {
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'test',
      ownerEmail: 'bob@example.org',
    });
    const stranger = await registerAgent(t.gate, OPERATOR, { projectId: project.id, name: 'stranger' });
    for (const agentId of [undefined, null, 'agt_unknown', stranger.id]) {
      const refusal = await refusedWithoutEffect(() =>
        create(t.secret, agentId === undefined ? { kind: 'agent' } : { kind: 'agent', agentId }),
      );
      expect(refusal).toMatchObject({ code: 'invalid_fields', details: { fields: [{ path: '/agent_id' }] } });
    }
    const agent = { projectId: t.projectId, agentId: t.agentId };
    await pauseAgent(t.gate, t.secret, agent);
    const forPaused = () => create(t.secret, { kind: 'agent', agentId: t.agentId });
    expect(await refusedWithoutEffect(forPaused)).toMatchObject({ code: 'conflict' });
    await revokeAgent(t.gate, t.secret, agent);
    expect(await refusedWithoutEffect(forPaused)).toMatchObject({ code: 'conflict' });
  });

  test('allows no agent for other kinds', async () => {
    for (const kind of ['secret', 'verify'] as const) {
      const refusal = await refusedWithoutEffect(() => create(t.secret, { kind, agentId: t.agentId }));
      expect(refusal).toMatchObject({ code: 'invalid_fields', details: { fields: [{ path: '/agent_id' }] } });
    }
  });

  test('can give it an expiry, until which it is valid', async () => {
    const { key, record } = await create(t.secret, { kind: 'verify', expiresAt: '2026-11-20T13:00:00Z' });
    expect(record.expiresAt).toBe('2026-11-20T13:00:00.000Z');
    t.clock.advance(3599);
    expect(await t.callerOf(key)).toMatchObject({ kind: 'verify' });
    t.clock.advance(1);
    expect(await refusalOf(t.callerOf(key))).toMatchObject({ code: 'unauthorized' });
  });

  test.each([
    ['now', '2026-11-20T12:00:00.000Z'],
    ['in the past', '2026-11-20T11:59:59Z'],
    ['without a zone', '2027-01-01T00:00:00'],
    ['in another zone', '2027-01-01T00:00:00+01:00'],
    ['no date', '2027-02-30T00:00:00Z'],
    ['no time', '2027-02-03T25:00:00Z'],
    ['no timestamp', 'tomorrow'],
  ])('refuses an expiry that is %s', async (_, expiresAt) => {
    const refusal = await refusedWithoutEffect(() => create(t.secret, { kind: 'verify', expiresAt }));
    expect(refusal).toMatchObject({ code: 'invalid_fields', details: { fields: [{ path: '/expires_at' }] } });
  });

  test('names every wrong member at once', async () => {
    const refusal = await refusedWithoutEffect(() =>
      create(t.secret, {
        kind: 'verify',
        name: ' ',
        expiresAt: 'x',
        rateLimitPerMinute: 0,
        agentId: 'agt_1',
      }),
    );
    const paths = ['/name', '/expires_at', '/rate_limit_per_minute', '/agent_id'];
    expect(refusal.details).toMatchObject({ fields: paths.map((path) => ({ path })) });
  });
});

describe('creating a key gives nobody more rights than their own', () => {
  test('so a token that may manage but not decide gets no secret key', async () => {
    const ann = await t.addPerson('ann@example.org', 'admin', ['manage']);
    expect(await refusedWithoutEffect(() => create(ann.caller, { kind: 'secret' }))).toMatchObject({
      code: 'forbidden',
      details: { required: 'intents:decide' },
    });
    expect(await create(ann.caller, { kind: 'verify' })).toMatchObject({ record: { kind: 'verify' } });
  });

  test('and in live mode requires a present person, as does revoking a key', async () => {
    const live = await openTestGate({ mode: 'live' });
    const input = { projectId: live.projectId, kind: 'verify', name: 'a key' } as const;
    const { key, record } = await createKey(live.gate, await live.owner.present(), input);
    expect(key).toMatch(/^prm_verify_live_/);
    const before = await live.gate.storage.read.listKeys(live.projectId, { limit: 50 });
    for (const program of [live.secret, live.owner.caller]) {
      expect(await refusalOf(createKey(live.gate, program, input))).toMatchObject({
        code: 'forbidden',
        message: expect.stringMatching(
          /requires: keys:write\. In live mode, keys and tokens cannot do this: sign in to the dashboard/,
        ),
      });
      const revoking = { projectId: live.projectId, keyId: record.id };
      expect(await refusalOf(revokeKey(live.gate, program, revoking))).toMatchObject({ code: 'forbidden' });
    }
    expect(await live.gate.storage.read.listKeys(live.projectId, { limit: 50 })).toEqual(before);
    await live.close();
  });

  test('so a caller who was demoted during the request is refused', async () => {
    const ann = await t.addPerson('ann@example.org', 'admin');
    await changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: ann.userId, role: 'viewer' });
    expect(await refusedWithoutEffect(() => create(ann.caller, { kind: 'verify' }))).toMatchObject({
      code: 'forbidden',
    });
  });

  test('so a key that was revoked during its request is refused', async () => {
    const { key, record } = await create(t.secret, { kind: 'secret' });
    const caller = await t.callerOf(key);
    await revokeKey(t.gate, t.secret, { projectId: t.projectId, keyId: record.id });
    expect(await refusedWithoutEffect(() => create(caller, { kind: 'secret' }))).toMatchObject({
      code: 'unauthorized',
    });
  });
});

describe('revoking a key', () => {
  test('ends it at once, is recorded once, and keeps it in the list', async () => {
    const { key, record } = await create(t.secret, { kind: 'verify', name: 'executor' });
    const input = { projectId: t.projectId, keyId: record.id };
    const revoked = await revokeKey(t.gate, t.owner.caller, input);
    expect(revoked).toEqual({ ...record, revokedAt: t.clock.now() });
    expect(await refusalOf(t.callerOf(key))).toMatchObject({ code: 'unauthorized' });
    t.clock.advance(10);
    expect(await revokeKey(t.gate, t.owner.caller, input)).toEqual(revoked);
    const events = await t.events(t.projectId, 'key.revoked');
    expect(events).toMatchObject([
      { actor: { type: 'user', id: t.owner.userId }, data: { key_id: record.id, name: 'executor' } },
    ]);
    expect(await keyIds()).toContain(record.id);
  });

  test('is possible with the key itself', async () => {
    const input = { projectId: t.projectId, keyId: t.secret.credentialId };
    await revokeKey(t.gate, t.secret, input);
    expect(await refusalOf(t.callerOf(t.first.secret_key))).toMatchObject({ code: 'unauthorized' });
    expect(await refusalOf(revokeKey(t.gate, t.secret, input))).toMatchObject({ code: 'unauthorized' });
  });

  test("treats another project's key, a person's token and a missing key as equally unknown", async () => {
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'test',
      ownerEmail: 'bob@example.org',
    });
    const other = await createKey(t.gate, OPERATOR, { projectId: project.id, kind: 'verify', name: 'x' });
    for (const keyId of [other.record.id, t.owner.caller.credentialId, 'key_unknown']) {
      const refusal = await refusedWithoutEffect(() =>
        revokeKey(t.gate, t.secret, { projectId: t.projectId, keyId }),
      );
      expect(refusal).toMatchObject({ code: 'not_found' });
    }
    expect(await t.callerOf(other.key)).toMatchObject({ kind: 'verify' });
  });
});

test('secret keys end with the membership, and do not return with the person', async () => {
  const ann = await t.addPerson('ann@example.org', 'admin');
  const service = await t.addService('ann@example.org');
  const agentKey = await create(service.caller, { kind: 'agent', agentId: t.agentId });
  await removeMember(t.gate, t.secret, { projectId: t.projectId, userId: ann.userId });
  expect(await refusalOf(t.callerOf(service.key))).toMatchObject({ code: 'unauthorized' });
  const refusal = await refusedWithoutEffect(() => create(service.caller, { kind: 'verify' }));
  expect(refusal).toMatchObject({ code: 'unauthorized' });

  await addMember(t.gate, t.secret, { projectId: t.projectId, email: 'ann@example.org', role: 'admin' });
  expect(await refusalOf(t.callerOf(service.key))).toMatchObject({ code: 'unauthorized' });
  expect(await t.callerOf(agentKey.key)).toMatchObject({ kind: 'agent' });
  expect(await t.events(t.projectId, 'key.revoked')).toMatchObject([
    { data: { key_id: service.keyId, reason: 'member removed' } },
  ]);
});

test('keys are listed newest first, page by page', async () => {
  for (const name of ['k1', 'k2', 'k3']) await create(t.secret, { kind: 'verify', name });
  const first = await listKeys(t.gate, t.secret, { projectId: t.projectId, limit: 4 });
  expect(first.items.map((key) => key.name)).toEqual(['k3', 'k2', 'k1', 'first verifier key']);
  const second = await listKeys(t.gate, t.secret, {
    projectId: t.projectId,
    limit: 4,
    cursor: first.nextCursor ?? '',
  });
  expect(second.items.map((key) => key.name)).toEqual(['first agent key', 'first secret key']);
  expect(second.nextCursor).toBeNull();
});
