import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pauseAgent, resumeAgent, revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { getAgent, listAgents } from '../../src/gate/agents/read-agents.ts';
import { registerAgent } from '../../src/gate/agents/register-agent.ts';
import { updateAgent } from '../../src/gate/agents/update-agent.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
beforeEach(async () => {
  t = await openTestGate();
});
afterEach(() => t.close());

const agentEvents = () =>
  t.events(
    t.projectId,
    'agent.registered',
    'agent.updated',
    'agent.paused',
    'agent.resumed',
    'agent.revoked',
  );

function register(name: string, more = {}) {
  return registerAgent(t.gate, t.secret, { projectId: t.projectId, name, ...more });
}

describe('registering an agent', () => {
  test('stores it as described and active, and records it in the audit log', async () => {
    const agent = await register(' Refund bot ', {
      fingerprint: 'sha256:ab12',
      framework: 'LangGraph',
      labels: { team: 'billing', tier: 2, canary: false },
      riskTier: 'high',
    });
    expect(agent).toMatchObject({
      name: 'Refund bot',
      fingerprint: 'sha256:ab12',
      framework: 'LangGraph',
      labels: { team: 'billing', tier: 2, canary: false },
      riskTier: 'high',
      status: 'active',
      createdAt: t.clock.now(),
      lastSeenAt: null,
    });
    expect(await getAgent(t.gate, t.secret, { projectId: t.projectId, agentId: agent.id })).toEqual(agent);
    const event = (await agentEvents()).at(-1);
    expect(event).toMatchObject({
      type: 'agent.registered',
      actor: { type: 'key', id: t.secret.credentialId },
      data: { agent_id: agent.id, name: 'Refund bot', risk_tier: 'high' },
    });
  });

  test('raises the project’s revision', async () => {
    const before = (await t.project()).revision;
    await register('refund-bot');
    expect((await t.project()).revision).toBeGreaterThan(before);
  });

  test.each(['refund-bot', 'Refund-Bot', 'REFUND-BOT'])('refuses %s once refund-bot exists', async (name) => {
    await register('refund-bot');
    const before = await t.project();
    expect(await refusalOf(register(name))).toMatchObject({ code: 'conflict' });
    expect(await t.project()).toEqual(before);
  });

  test('keeps the name of a revoked agent reserved', async () => {
    const agent = await register('refund-bot');
    await revokeAgent(t.gate, t.secret, { projectId: t.projectId, agentId: agent.id });
    expect(await refusalOf(register('refund-bot'))).toMatchObject({ code: 'conflict' });
  });

  test('allows the same name in another project', async () => {
    await register('refund-bot');
    const other = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'test',
      ownerEmail: 'bob@example.org',
    });
    const agent = await registerAgent(t.gate, OPERATOR, { projectId: other.project.id, name: 'refund-bot' });
    expect(agent.projectId).toBe(other.project.id);
  });

  test('names every wrong member at once, and stores nothing', async () => {
    const before = await agentEvents();
    const refusal = await refusalOf(
      register('ann@example.org', {
        fingerprint: 'with space',
        framework: 'a\u202eb',
        labels: { ok: 'yes', 'not ok': 'x', deep: { a: 1 }, long: 'x'.repeat(201) },
      }),
    );
    expect(refusal).toMatchObject({ code: 'invalid_fields' });
    expect(refusal.details).toMatchObject({
      fields: [
        { path: '/name' },
        { path: '/framework' },
        { path: '/fingerprint' },
        { path: '/labels/not ok' },
        { path: '/labels/deep' },
        { path: '/labels/long' },
      ],
    });
    expect(await agentEvents()).toEqual(before);
  });

  test('succeeds for one of twenty simultaneous requests for one name', async () => {
    const names = Array.from({ length: 20 }, (_, i) => (i % 2 ? 'refund-bot' : 'Refund-Bot'));
    const outcomes = await Promise.allSettled(names.map((name) => register(name)));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(19).fill('conflict'));
    const page = await listAgents(t.gate, t.secret, { projectId: t.projectId });
    expect(page.items.filter((agent) => agent.name.toLowerCase() === 'refund-bot')).toHaveLength(1);
    expect((await agentEvents()).filter((event) => event.data.name !== 'first-agent')).toHaveLength(1);
  });
});

describe('reading agents', () => {
  test('lists them newest first, page by page', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) await register(name);
    const first = await listAgents(t.gate, t.secret, { projectId: t.projectId, limit: 3 });
    expect(first.items.map((agent) => agent.name)).toEqual(['a4', 'a3', 'a2']);
    await register('a5');
    const { nextCursor } = first;
    expect(nextCursor).not.toBeNull();
    const second = await listAgents(t.gate, t.secret, {
      projectId: t.projectId,
      limit: 3,
      cursor: nextCursor ?? '',
    });
    expect(second.items.map((agent) => agent.name)).toEqual(['a1', 'first-agent']);
    expect(second.nextCursor).toBeNull();
  });

  test("treats another project's agent like one that never existed", async () => {
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'test',
      ownerEmail: 'bob@example.org',
    });
    const stranger = await registerAgent(t.gate, OPERATOR, { projectId: project.id, name: 'stranger' });
    const inOwn = { projectId: t.projectId, agentId: stranger.id };
    const unknown = { projectId: t.projectId, agentId: 'agt_unknown' };
    for (const input of [inOwn, unknown]) {
      expect(await refusalOf(getAgent(t.gate, t.secret, input))).toMatchObject({ code: 'not_found' });
      expect(await refusalOf(pauseAgent(t.gate, t.secret, input))).toMatchObject({ code: 'not_found' });
    }
    const there = { projectId: project.id, agentId: stranger.id };
    expect(await refusalOf(pauseAgent(t.gate, t.secret, there))).toMatchObject({ code: 'project_not_found' });
    expect(await getAgent(t.gate, OPERATOR, there)).toMatchObject({ status: 'active' });
  });
});

describe('updating an agent', () => {
  test('keeps omitted members, removes null ones, and the event says what changed', async () => {
    const agent = await register('refund-bot', { framework: 'LangGraph', fingerprint: 'f1' });
    const { agent: updated } = await updateAgent(t.gate, t.secret, {
      projectId: t.projectId,
      agentId: agent.id,
      framework: null,
      riskTier: 'critical',
    });
    expect(updated).toEqual({ ...agent, framework: null, riskTier: 'critical' });
    expect(await getAgent(t.gate, t.secret, { projectId: t.projectId, agentId: agent.id })).toEqual(updated);
    expect((await agentEvents()).at(-1)).toMatchObject({
      type: 'agent.updated',
      data: {
        changed: ['framework', 'risk_tier'],
        before: { framework: 'LangGraph', risk_tier: 'low' },
        after: { framework: null, risk_tier: 'critical' },
      },
    });
  });

  test('with equal values changes nothing', async () => {
    const agent = await register('refund-bot', { labels: { team: 'billing' } });
    const before = await t.project();
    const input = { projectId: t.projectId, agentId: agent.id };
    await updateAgent(t.gate, t.secret, { ...input, name: 'refund-bot', labels: { team: 'billing' } });
    await updateAgent(t.gate, t.secret, input);
    expect(await t.project()).toEqual(before);
    expect(await t.events(t.projectId, 'agent.updated')).toEqual([]);
  });

  test("cannot give it another's name, but may respell its own", async () => {
    await register('refund-bot');
    const agent = await register('mail-bot');
    const input = { projectId: t.projectId, agentId: agent.id };
    expect(await refusalOf(updateAgent(t.gate, t.secret, { ...input, name: 'REFUND-BOT' }))).toMatchObject({
      code: 'conflict',
    });
    expect(await updateAgent(t.gate, t.secret, { ...input, name: 'Mail-Bot' })).toMatchObject({
      agent: { name: 'Mail-Bot' },
    });
  });

  test('leaves a revoked agent unchanged', async () => {
    const agent = await register('refund-bot');
    const input = { projectId: t.projectId, agentId: agent.id };
    const revoked = await revokeAgent(t.gate, t.secret, input);
    const refusal = await refusalOf(updateAgent(t.gate, t.secret, { ...input, riskTier: 'high' }));
    expect(refusal).toMatchObject({ code: 'conflict' });
    expect(await getAgent(t.gate, t.secret, input)).toEqual(revoked);
  });
});

describe('pausing, resuming and revoking an agent', () => {
  const input = () => ({ projectId: t.projectId, agentId: t.agentId });

  test('works any number of times, and a repetition changes nothing', async () => {
    expect(await pauseAgent(t.gate, t.secret, input())).toMatchObject({ status: 'paused' });
    const paused = await t.project();
    expect(await pauseAgent(t.gate, t.secret, input())).toMatchObject({ status: 'paused' });
    expect(await t.project()).toEqual(paused);
    expect(await resumeAgent(t.gate, t.secret, input())).toMatchObject({ status: 'active' });
    expect(await resumeAgent(t.gate, t.secret, input())).toMatchObject({ status: 'active' });
    expect(await pauseAgent(t.gate, t.secret, input())).toMatchObject({ status: 'paused' });
    const events = await t.events(t.projectId, 'agent.paused', 'agent.resumed');
    expect(events.map((event) => event.type)).toEqual(['agent.paused', 'agent.resumed', 'agent.paused']);
  });

  test('applies to its key from the next look-up on', async () => {
    await pauseAgent(t.gate, t.secret, input());
    expect(await t.callerOf(t.first.agent_key)).toMatchObject({ agent: { status: 'paused' } });
  });

  test.each([
    ['an active', false],
    ['a paused', true],
  ])('revokes %s agent for good', async (_, pausedBefore) => {
    if (pausedBefore) await pauseAgent(t.gate, t.secret, input());
    expect(await revokeAgent(t.gate, t.secret, input())).toMatchObject({ status: 'revoked' });
    expect(await revokeAgent(t.gate, t.secret, input())).toMatchObject({ status: 'revoked' });
    for (const operation of [pauseAgent, resumeAgent])
      expect(await refusalOf(operation(t.gate, t.secret, input()))).toMatchObject({ code: 'conflict' });
    expect(await getAgent(t.gate, t.secret, input())).toMatchObject({ status: 'revoked' });
    expect(await t.events(t.projectId, 'agent.revoked')).toHaveLength(1);
  });

  test('tells the holder of its key that it was revoked, not that the key is unknown', async () => {
    await revokeAgent(t.gate, t.secret, input());
    expect(await refusalOf(t.callerOf(t.first.agent_key))).toMatchObject({ code: 'agent_revoked' });
    expect(await t.events(t.projectId, 'key.revoked')).toEqual([]);
  });

  test('leaves it revoked after a simultaneous pause and revocation', async () => {
    for (let round = 0; round < 10; round += 1) {
      const agent = await register(`racer-${round}`);
      const one = { projectId: t.projectId, agentId: agent.id };
      const operations = [pauseAgent, revokeAgent, resumeAgent, pauseAgent, revokeAgent];
      const outcomes = await Promise.allSettled(
        operations.slice(round % 3).map((operation) => operation(t.gate, t.secret, one)),
      );
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
      expect(await getAgent(t.gate, t.secret, one)).toMatchObject({ status: 'revoked' });
      const revocations = await t.events(t.projectId, 'agent.revoked');
      expect(revocations.filter((event) => event.data.agent_id === agent.id)).toHaveLength(1);
    }
  });
});
