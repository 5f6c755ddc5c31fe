/**
 * A request that a secret key sends in a registered agent's name runs as that agent, although the agent did not send
 * it.
 */
import { decodePermit } from '@permitry/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pauseAgent } from '../../src/gate/agents/agent-status.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { REFUND } from '../fixtures/approved-intent.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
let robot: Awaited<ReturnType<TestApp['addAgent']>>;
beforeEach(async () => {
  t = await openTestApp();
  robot = await t.addAgent({ name: 'Refund Robot' });
});
afterEach(() => t.close());

function create(source: string) {
  return t.call('POST', '/v1/intents', { key: t.first.secret_key, body: { ...REFUND, source } });
}

async function approved(source: string): Promise<{ id: string; token: string }> {
  const { body } = await create(source);
  const answer = await t.call('POST', `/v1/intents/${body.id}/approve`, {
    key: t.first.secret_key,
    body: {},
  });
  return { id: String(body.id), token: (answer.body.permit as { token: string }).token };
}

it('an agent’s own key reads, lists, renews and uses a request that a secret key sent in its name', async () => {
  const { key, agent } = robot;
  const { id, token } = await approved(agent.name);
  const read = await t.call('GET', `/v1/intents/${id}`, { key });
  expect(read.body).toMatchObject({ id, permit: { token } });
  expect((await t.call('GET', '/api/intents', { key })).body).toMatchObject({ intents: [{ id }] });
  const renewed = await t.call('POST', `/v1/intents/${id}/permit`, { key, body: {} });
  expect(renewed.status).toBe(201);
  const fresh = (renewed.body.permit as { token: string }).token;
  const used = await t.call('POST', '/v1/permits/validate', {
    key,
    body: { token: fresh, ...REFUND, consume: true },
  });
  expect(used.body).toMatchObject({ authorizes: true, consumed: true, intent_id: id });
});

it('another agent’s key does not find a request that a secret key sent in an agent’s name', async () => {
  const { id, token } = await approved(robot.agent.name);
  const key = t.first.agent_key;
  const answers = [
    await t.call('GET', `/api/intents/${id}`, { key }),
    await t.call('GET', `/v1/intents/${id}?wait=1`, { key }),
    await t.call('POST', `/v1/intents/${id}/permit`, { key, body: {} }),
    await t.call('POST', `/v1/intents/${id}/withdraw`, { key, body: {} }),
    await t.call('POST', '/v1/permits/validate', { key, body: { token, ...REFUND, consume: true } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect((await t.call('GET', '/api/intents', { key })).body).toMatchObject({ intents: [] });
  expect((await t.gate.storage.read.findIntent(id))?.consumedAt).toBeNull();
});

it.each([
  ['by name', () => robot.agent.name],
  ['by its name in another case', () => 'REFUND robot'],
  ['by id', () => robot.agent.id],
])('naming an agent %s makes the permit that agent’s, and enforces its pause', async (_how, source) => {
  const { token } = await approved(source());
  const decoded = decodePermit(token, { mode: 'test' });
  expect(decoded).toMatchObject({ ok: true, claims: { sub: robot.agent.id } });

  await pauseAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: robot.agent.id });
  const refused = await create(source());
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({ error: { code: 'agent_paused' } });
  const validated = await t.call('POST', '/v1/permits/validate', {
    key: t.first.verifier_key,
    body: { token, ...REFUND },
  });
  expect(validated.body).toMatchObject({ error: { code: 'permit_invalid', reason: 'agent_paused' } });
});

it('a name that no agent has is only a label, so no agent’s key finds the request', async () => {
  const { body } = await create('Refund Robot 2');
  expect((await t.call('GET', `/v1/intents/${body.id}`, { key: robot.key })).status).toBe(404);
  expect((await t.gate.storage.read.findIntent(String(body.id)))?.agentId).toBeNull();
});

it('when a secret key names an agent, policy sees no agent, neither at creation nor at use', async () => {
  const proven = (rules: object[]) =>
    putPolicy(t.gate, OPERATOR, {
      projectId: t.projectId,
      document: JSON.parse(
        JSON.stringify({ name: 'p', default: { approvers: ['role:approver'], min_approvals: 1 }, rules }),
      ),
    });
  const before = await approved(robot.agent.name);
  await proven([
    { name: 'robots', when: "agent != null && agent.name == 'Refund Robot'", effect: 'allow' },
    { name: 'nobody', when: 'agent == null', effect: 'deny' },
  ]);
  const own = await t.call('POST', '/v1/intents', { key: robot.key, body: REFUND });
  expect(own.body).toMatchObject({ status: 'approved', approvals: [{ by: 'policy:robots' }] });
  const named = await create(robot.agent.name);
  expect(named.status).toBe(403);
  expect(named.body).toMatchObject({ error: { code: 'policy_violation', rule: 'nobody' } });
  const used = await t.call('POST', '/v1/permits/validate', {
    key: robot.key,
    body: { token: before.token, ...REFUND },
  });
  expect(used.body).toMatchObject({ error: { reason: 'policy_changed' } });
});
