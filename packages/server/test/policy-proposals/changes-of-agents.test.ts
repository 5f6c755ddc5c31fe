/** In a live project with the two-person rule, agent properties that policy rules use only change with two people. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { getAgent } from '../../src/gate/agents/read-agents.ts';
import { registerAgent } from '../../src/gate/agents/register-agent.ts';
import { updateAgent } from '../../src/gate/agents/update-agent.ts';
import { requireSecondPerson } from '../../src/gate/four-eyes/require-second-person.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectRefusal } from '../surfaces/expect-refusal.ts';

let t: TestApp;
let ann: SignedIn & { id: string };
let bob: SignedIn & { id: string };
let path: string;
let proposals: string;

async function admin(email: string): Promise<SignedIn & { id: string }> {
  const { userId } = await t.addPerson(email, 'admin');
  return { ...(await signedIn(t.gate, userId)), id: userId };
}

beforeEach(async () => {
  t = await openTestApp({ mode: 'live', logLevel: 'silent' });
  ann = await admin('ann@example.org');
  bob = await admin('bob@example.org');
  await requireSecondPerson(t.gate, OPERATOR, { projectId: t.projectId, required: true });
  path = `/v1/projects/${t.projectId}/agents/${t.agentId}`;
  proposals = `/v1/projects/${t.projectId}/policies/proposals`;
});
afterEach(() => t.close());

const change = (by: SignedIn, body: object) => t.call('PATCH', path, { headers: by.headers, body });
const act = (by: SignedIn, id: string, verb: string) =>
  t.call('POST', `${proposals}/${id}/${verb}`, { headers: by.headers, body: {} });
const agent = () => getAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: t.agentId });

async function proposed(by: SignedIn, body: object): Promise<string> {
  const answer = await change(by, body);
  expect(answer.status).toBe(202);
  return String((answer.body.proposal as { id: string }).id);
}

describe.each([
  ['labels', { labels: { team: 'trusted' } }],
  ['name', { name: 'another-name' }],
  ['risk_tier', { risk_tier: 'high' }],
  ['fingerprint', { fingerprint: 'sha256:1' }],
])('a change of %s', (member, body) => {
  test('is proposed and changes nothing until another person approves it', async () => {
    const before = await agent();
    const answer = await change(ann, body);
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({
      name: before.name,
      labels: before.labels,
      proposal: { change: 'agent', status: 'pending', policy: null, agent: { id: t.agentId, after: body } },
    });
    expect(await agent()).toEqual(before);
    expect(await t.events(t.projectId, 'agent.updated')).toEqual([]);

    const { id } = answer.body.proposal as { id: string };
    expectRefusal(await act(ann, id, 'approve'), 403, 'forbidden', { required: 'second_person' });
    expect(await agent()).toEqual(before);

    const approved = await act(bob, id, 'approve');
    expect(approved.body).toMatchObject({ status: 'approved', change: 'agent', version: null });
    const after = await t.call('GET', path, { headers: bob.headers });
    expect(after.body).toMatchObject(body);
    const [event] = await t.events(t.projectId, 'agent.updated');
    expect(event?.data).toMatchObject({ changed: [member], proposal_id: id, proposed_by: ann.id });
    expect(event?.actor.id).toBe(bob.id);
  });
});

test('a change of an agent’s owner is proposed as well', async () => {
  const id = await proposed(ann, { owner_id: ann.id });
  expect((await agent()).ownerId).toBe(t.owner.userId);
  await act(bob, id, 'approve');
  expect(await agent()).toMatchObject({ ownerId: ann.id, behind: [t.owner.userId, ann.id] });
});

describe('a new agent', () => {
  const register = (body: object) =>
    t.call('POST', `/v1/projects/${t.projectId}/agents`, { headers: ann.headers, body });
  const count = async () => (await t.events(t.projectId, 'agent.registered')).length;

  test.each([
    ['labels', { labels: { team: 'trusted' } }],
    ['a risk tier', { risk_tier: 'high' }],
    ['a fingerprint', { fingerprint: 'sha256:1' }],
  ])('cannot be registered with %s by one person', async (_, members) => {
    const before = await count();
    const answer = await register({ name: 'helper', framework: 'langgraph', ...members });
    expectRefusal(answer, 403, 'forbidden', { required: 'second_person' });
    expect(await count()).toBe(before);
  });

  test('can be registered without them, and gets them with a second person', async () => {
    const made = await register({ name: 'helper', framework: 'langgraph', labels: {}, risk_tier: 'low' });
    expect(made.status).toBe(201);
    const own = `/v1/projects/${t.projectId}/agents/${made.body.id}`;
    const labels = { team: 'trusted' };
    const answer = await t.call('PATCH', own, { headers: ann.headers, body: { labels } });
    expect(answer.status).toBe(202);
    const { id } = answer.body.proposal as { id: string };
    expect((await act(bob, id, 'approve')).status).toBe(200);
    expect((await t.call('GET', own, { headers: ann.headers })).body).toMatchObject({ labels });
  });

  test('can be registered with all of them by the operator', async () => {
    const labels = { team: 'trusted' };
    const made = await registerAgent(t.gate, OPERATOR, { projectId: t.projectId, name: 'helper', labels });
    expect(made.labels).toEqual(labels);
  });
});

test('a change of framework, which no rule uses, applies at once; together with labels it is proposed', async () => {
  expect((await change(ann, { framework: 'langgraph' })).status).toBe(200);
  expect((await agent()).framework).toBe('langgraph');
  expect((await change(ann, { framework: 'crewai', labels: { a: 1 } })).status).toBe(202);
  expect((await agent()).framework).toBe('langgraph');
});

test('the operator can change an agent alone', async () => {
  const { proposal } = await updateAgent(t.gate, OPERATOR, {
    projectId: t.projectId,
    agentId: t.agentId,
    riskTier: 'high',
  });
  expect(proposal).toBeNull();
  expect((await agent()).riskTier).toBe('high');
});

test('a rejected or withdrawn proposal changes nothing', async () => {
  const before = await agent();
  const rejected = await proposed(ann, { labels: { team: 'trusted' } });
  expect((await act(bob, rejected, 'reject')).status).toBe(200);
  expectRefusal(await act(bob, rejected, 'approve'), 409, 'conflict', {});
  const withdrawn = await proposed(ann, { labels: { team: 'trusted' } });
  expect((await act(ann, withdrawn, 'withdraw')).status).toBe(200);
  expect(await agent()).toEqual(before);
});

describe('a proposal can no longer be approved', () => {
  test('once the same properties of the agent changed; a change of others does not matter', async () => {
    const id = await proposed(ann, { labels: { team: 'trusted' } });
    const harmless = await proposed(bob, { risk_tier: 'high' });
    expect((await act(ann, harmless, 'approve')).status).toBe(200);
    const other = await proposed(bob, { labels: { team: 'plain' } });
    expect((await act(ann, other, 'approve')).status).toBe(200);
    const before = await agent();
    expectRefusal(await act(bob, id, 'approve'), 409, 'conflict', {});
    expect(await agent()).toEqual(before);
  });

  test('once the agent was revoked', async () => {
    const id = await proposed(ann, { labels: { team: 'trusted' } });
    await revokeAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: t.agentId });
    expectRefusal(await act(bob, id, 'approve'), 409, 'conflict', {});
    expect((await agent()).labels).toEqual({});
  });

  test('once its name was taken', async () => {
    const id = await proposed(ann, { name: 'taken' });
    await t.addAgent({ name: 'taken' });
    expectRefusal(await act(bob, id, 'approve'), 409, 'conflict', {});
    expect((await agent()).name).not.toBe('taken');
  });
});

test('a proposal can still be approved after a new version of the policy', async () => {
  const id = await proposed(ann, { risk_tier: 'high' });
  await putPolicy(t.gate, OPERATOR, {
    projectId: t.projectId,
    document: { name: 'other', default: { approvers: ['role:approver'], min_approvals: 1 }, rules: [] },
  });
  expect((await act(bob, id, 'approve')).status).toBe(200);
});

test('when two people approve a proposal at once, the change is made only once', async () => {
  const id = await proposed(ann, { labels: { team: 'trusted' } });
  const owner = await signedIn(t.gate, t.owner.userId);
  const answers = await Promise.all([act(bob, id, 'approve'), act(owner, id, 'approve')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await t.events(t.projectId, 'agent.updated')).toHaveLength(1);
});

test('a proposal to change an agent is listed for the other admins, beside policy proposals', async () => {
  const id = await proposed(ann, { labels: { team: 'trusted' } });
  const waiting = async (by: SignedIn) =>
    (await t.call('GET', '/console/policy-proposals', { headers: by.headers })).body.data;
  expect(await waiting(bob)).toMatchObject([{ id, change: 'agent' }]);
  expect(await waiting(ann)).toEqual([]);
});
