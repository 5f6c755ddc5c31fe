/** Who owns an agent, who is behind it, and what happens to its keys when the owner leaves. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionCaller } from '../../src/gate/access/caller.ts';
import type { Agent } from '../../src/gate/agents/agent.ts';
import { revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { ORPHAN_SECONDS } from '../../src/gate/agents/orphan.ts';
import { getAgent } from '../../src/gate/agents/read-agents.ts';
import { registerAgent } from '../../src/gate/agents/register-agent.ts';
import { updateAgent } from '../../src/gate/agents/update-agent.ts';
import { warnOfEndingKeys } from '../../src/gate/agents/warn-of-ending-keys.ts';
import { addSeconds } from '../../src/gate/kernel/instant.ts';
import { currentCaller } from '../../src/gate/projects/current-caller.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { listKeys } from '../../src/people/keys/list-keys.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { leaveProject } from '../../src/people/members/leave-project.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal } from '../surfaces/expect-refusal.ts';

const DAY = 24 * 60 * 60;

let t: TestApp;
let ann: string;
let bob: string;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live', logLevel: 'silent' });
  ann = (await t.addPerson('ann@example.org', 'admin')).userId;
  bob = (await t.addPerson('bob@example.org', 'admin')).userId;
});
afterEach(() => t.close());

const present = async (userId: string): Promise<SessionCaller> => (await signedIn(t.gate, userId)).caller();
const register = async (userId: string, name = 'refund-bot'): Promise<Agent> =>
  registerAgent(t.gate, await present(userId), { projectId: t.projectId, name });
const now = (agent: Agent) => getAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: agent.id });
const keyOf = async (agent: Agent, userId: string, more: { expiresAt?: string } = {}) =>
  createKey(t.gate, await present(userId), {
    projectId: t.projectId,
    kind: 'agent',
    name: 'key',
    agentId: agent.id,
    ...more,
  });
const leave = async (userId: string) =>
  leaveProject(t.gate, await present(userId), { projectId: t.projectId });
const takeOver = async (agent: Agent, userId: string) =>
  updateAgent(t.gate, await present(userId), {
    projectId: t.projectId,
    agentId: agent.id,
    ownerId: userId,
  });

describe('an agent’s owner', () => {
  test('is the person who registered it, who is also behind it', async () => {
    expect(await register(ann)).toMatchObject({ ownerId: ann, behind: [ann] });
  });

  test('can be any member the operator names, or nobody, which counts as every owner of the project', async () => {
    const base = { projectId: t.projectId };
    const named = await registerAgent(t.gate, OPERATOR, { ...base, name: 'named', ownerId: ann });
    expect(named).toMatchObject({ ownerId: ann, behind: [ann] });
    const unnamed = await registerAgent(t.gate, OPERATOR, { ...base, name: 'unnamed' });
    expect(unnamed).toMatchObject({ ownerId: null, behind: ['operator'] });
    const stranger = registerAgent(t.gate, OPERATOR, { ...base, name: 'stranger', ownerId: 'usr_nobody' });
    expect(await refusalOf(stranger)).toMatchObject({ code: 'invalid_fields' });
  });

  test('is the project’s owner for the first agent of a gate', async () => {
    const first = await getAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: t.agentId });
    expect(first).toMatchObject({ ownerId: t.owner.userId, behind: [t.owner.userId] });
  });

  test('is behind it together with everyone who ever created a key for it', async () => {
    const agent = await register(ann);
    const { record } = await keyOf(agent, bob);
    await revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: record.id });
    await keyOf(agent, bob);
    expect(await now(agent)).toMatchObject({ ownerId: ann, behind: [ann, bob] });
  });

  test('is behind a key that the operator creates', async () => {
    const agent = await register(ann);
    const key = { projectId: t.projectId, kind: 'agent', name: 'key', agentId: agent.id } as const;
    await createKey(t.gate, OPERATOR, key);
    expect((await now(agent)).behind).toEqual([ann]);
  });

  test('can be changed by other members only to themselves', async () => {
    const agent = await register(ann);
    const path = `/v1/projects/${t.projectId}/agents/${agent.id}`;
    const { headers } = await signedIn(t.gate, bob);
    const answer = await t.call('PATCH', path, { headers, body: { owner_id: t.owner.userId } });
    expectFields(answer, 'invalid_request', '/owner_id');
    expect(await now(agent)).toEqual(agent);

    const taken = await t.call('PATCH', path, { headers, body: { owner_id: bob } });
    expect(taken.body).toMatchObject({ owner_id: bob, keys_end_at: null });
    expect(await now(agent)).toMatchObject({ ownerId: bob, behind: [ann, bob] });
    const [event] = await t.events(t.projectId, 'agent.updated');
    expect(event?.data).toMatchObject({
      changed: ['owner_id'],
      before: { owner_id: ann },
      after: { owner_id: bob },
    });
  });

  test('cannot be an approver, or a person who has not recently confirmed their presence', async () => {
    const agent = await register(ann);
    const path = `/v1/projects/${t.projectId}/agents/${agent.id}`;
    const carl = await addMember(t.gate, OPERATOR, {
      projectId: t.projectId,
      email: 'carl@example.org',
      role: 'approver',
    });
    const asCarl = await signedIn(t.gate, carl.userId);
    const asBob = await signedIn(t.gate, bob);
    t.clock.advance(16 * 60);
    const refused = await t.call('PATCH', path, { headers: asCarl.headers, body: { owner_id: carl.userId } });
    expectRefusal(refused, 403, 'forbidden', { required: 'agents:write' });
    const absent = await t.call('PATCH', path, { headers: asBob.headers, body: { owner_id: bob } });
    expectRefusal(absent, 403, 'proof_required', {
      proof_tier: 'session',
      methods: ['password', 'passkey'],
    });
    expect(await now(agent)).toEqual(agent);
  });
});

describe('when the owner’s membership ends', () => {
  test('each key of the agent expires 7 days later, and admins can see it', async () => {
    const agent = await register(ann);
    const { key } = await keyOf(agent, ann);
    const other = await register(bob, 'other');
    const { key: otherKey } = await keyOf(other, bob);
    await leave(ann);
    const end = addSeconds(t.clock.now(), ORPHAN_SECONDS);
    const [event] = await t.events(t.projectId, 'agent.owner_left');
    expect(event?.data).toMatchObject({ agent_id: agent.id, owner_id: ann, keys_end_at: end });
    const { headers } = await signedIn(t.gate, bob);
    const read = await t.call('GET', `/v1/projects/${t.projectId}/agents/${agent.id}`, { headers });
    expect(read.body).toMatchObject({ owner_id: ann, keys_end_at: end });
    const keys = await t.call('GET', `/v1/projects/${t.projectId}/keys`, { headers });
    const ends = (keys.body.data as { agent_id: string; expires_at: string | null }[]).map((each) => [
      each.agent_id,
      each.expires_at,
    ]);
    expect(ends).toContainEqual([agent.id, end]);
    expect(ends).toContainEqual([other.id, null]);

    t.clock.advance(ORPHAN_SECONDS - 1);
    expect((await t.callerOf(key)).kind).toBe('agent');
    t.clock.advance(1);
    expect(await refusalOf(t.callerOf(key))).toMatchObject({ code: 'unauthorized' });
    expect((await t.callerOf(otherKey)).kind).toBe('agent');
  });

  test('a caller with such a key has no rights from then on, even inside a transaction', async () => {
    const agent = await register(ann);
    const { key } = await keyOf(agent, ann);
    await leave(ann);
    const caller = await t.callerOf(key);
    const standing = () =>
      t.gate.storage.transaction(async (tx) => {
        const project = await tx.findProject(t.projectId);
        return project && (await currentCaller(tx, caller, project, t.clock.now()))?.kind;
      });
    t.clock.advance(ORPHAN_SECONDS - 1);
    expect(await standing()).toBe('agent');
    t.clock.advance(1);
    expect(await standing()).toBeUndefined();
  });

  test('the keys also expire if the owner was removed', async () => {
    const agent = await register(ann);
    const { key } = await keyOf(agent, ann);
    await removeMember(t.gate, OPERATOR, { projectId: t.projectId, userId: ann });
    t.clock.advance(ORPHAN_SECONDS);
    expect(await refusalOf(t.callerOf(key))).toMatchObject({ code: 'unauthorized' });
  });

  test('taking over the agent removes exactly those expiries', async () => {
    const agent = await register(ann);
    const { key } = await keyOf(agent, ann);
    const sooner = addSeconds(t.clock.now(), 3 * DAY);
    const { key: short } = await keyOf(agent, ann, { expiresAt: sooner });
    const later = addSeconds(t.clock.now(), 30 * DAY);
    await keyOf(agent, ann, { expiresAt: later });
    await leave(ann);
    const ends = async () =>
      (await listKeys(t.gate, OPERATOR, { projectId: t.projectId })).items
        .filter(({ agentId }) => agentId === agent.id)
        .map(({ expiresAt, endsWithOwnerAt }) => [expiresAt, endsWithOwnerAt]);
    const end = addSeconds(t.clock.now(), ORPHAN_SECONDS);
    expect(await ends()).toEqual([
      [later, end],
      [sooner, end],
      [null, end],
    ]);
    await takeOver(agent, bob);
    expect(await ends()).toEqual([
      [later, null],
      [sooner, null],
      [null, null],
    ]);
    t.clock.advance(ORPHAN_SECONDS);
    expect((await t.callerOf(key)).kind).toBe('agent');
    expect(await refusalOf(t.callerOf(short))).toMatchObject({ code: 'unauthorized' });
  });

  test('a key created afterwards has no such expiry', async () => {
    const agent = await register(ann);
    await leave(ann);
    t.clock.advance(1);
    const { key } = await keyOf(agent, bob);
    t.clock.advance(ORPHAN_SECONDS);
    expect((await t.callerOf(key)).kind).toBe('agent');
  });

  test('an owner who returns removes the expiry only by taking over the agent', async () => {
    const agent = await register(ann);
    const { key } = await keyOf(agent, ann);
    await leave(ann);
    await addMember(t.gate, OPERATOR, { projectId: t.projectId, email: 'ann@example.org', role: 'admin' });
    expect((await now(agent)).ownerLeftAt).not.toBeNull();
    await takeOver(agent, ann);
    t.clock.advance(ORPHAN_SECONDS);
    expect((await t.callerOf(key)).kind).toBe('agent');
  });

  test('the log says once, a day before, that the keys will expire', async () => {
    const agent = await register(ann);
    await leave(ann);
    const end = addSeconds(t.clock.now(), ORPHAN_SECONDS);
    const warned = async () => (await t.events(t.projectId, 'agent.keys_ending')).map(({ data }) => data);
    t.clock.advance(6 * DAY - 60);
    await warnOfEndingKeys(t.gate);
    expect(await warned()).toEqual([]);
    t.clock.advance(120);
    await Promise.all([warnOfEndingKeys(t.gate), warnOfEndingKeys(t.gate)]);
    await warnOfEndingKeys(t.gate);
    expect(await warned()).toEqual([{ agent_id: agent.id, name: agent.name, keys_end_at: end }]);
  });

  test('nobody is warned about an agent that was taken over or revoked', async () => {
    const taken = await register(ann, 'taken');
    const revoked = await register(ann, 'revoked');
    await leave(ann);
    await takeOver(taken, bob);
    await revokeAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: revoked.id });
    t.clock.advance(6 * DAY + 60);
    await warnOfEndingKeys(t.gate);
    expect(await t.events(t.projectId, 'agent.keys_ending')).toEqual([]);
  });
});
