/** The data of an intent that the approval page gets. */
import { canonicalJson, hashJson, intentHash, type JsonObject } from '@permitry/protocol';
import type { ConsoleIntent } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { asShown } from '../fixtures/as-shown.ts';
import { OPERATOR, type Person } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

type Shown = Static<typeof ConsoleIntent>;

let t: TestApp;
let ann: Person;
let session: SignedIn;

beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  session = await signedIn(t.gate, ann.userId);
});
afterEach(() => t.close());

async function ask(body: object = {}, key = t.first.agent_key): Promise<string> {
  const answer = await t.call('POST', '/v1/intents', { key, body: { action: 'payments.refund', ...body } });
  expect(answer.status).toBe(201);
  return String(answer.body.id);
}

async function look(id: string, who = session): Promise<Shown> {
  const answer = await t.call('GET', `/console/intents/${id}`, { headers: who.headers });
  expect(answer.status).toBe(200);
  return answer.body as unknown as Shown;
}

/** Decides as the page does: with the hash of the request that it showed. */
const decide = async (id: string, body: object, who = session) =>
  t.call('PATCH', `/api/intents/${id}`, {
    headers: who.headers,
    body: { ...(await asShown(t.gate, id)), ...body },
  });

test('the page gets everything that was hashed, so that it can recompute the signed hashes', async () => {
  const params = { amount: 1.0, נתיב: '\u202e', nested: [null, { a: -0 }] };
  const id = await ask({ params, metadata: { why: 'because' } });
  const shown = await look(id);
  const read = JSON.parse(shown.canonical_params) as JsonObject;
  expect(shown.canonical_params).toBe(canonicalJson(params));
  expect(hashJson(read)).toBe(shown.params_hash);
  expect(intentHash({ ...shown.hashed, params: read })).toBe(shown.intent_hash);
  expect(shown.hashed).toMatchObject({ project: t.projectId, intent: id, metadata: { why: 'because' } });
});

test('the page shows the requester, the missing approvals, who can give them, and whether this person can', async () => {
  const bob = await t.addPerson('bob@example.org', 'approver');
  const id = await ask({ approvers: ['ann@example.org', 'bob@example.org'], min_approvals: 2 });
  expect(await look(id)).toMatchObject({
    status: 'pending',
    project: { id: t.projectId, mode: 'live', stopped: false },
    requester: { type: 'agent', agent: { status: 'active' } },
    approvals_required: 2,
    approvals_received: 0,
    missing: [{ count: 2, who: expect.arrayContaining(['ann@example.org', 'bob@example.org']), more: 0 }],
    can_approve: true,
    can_deny: true,
    why_not: null,
    permit: { lifetime_seconds: 300, expires_at: null, used_at: null },
  });
  await decide(id, { decision: 'approve' });
  expect(await look(id)).toMatchObject({
    approvals_received: 1,
    missing: [{ count: 1, who: ['bob@example.org'] }],
    votes: [{ by: 'ann@example.org', mine: true, decision: 'approve', method: 'session' }],
    can_approve: false,
    can_deny: true,
    why_not: 'already_voted',
  });
  expect((await look(id, await signedIn(t.gate, bob.userId))).votes).toMatchObject([{ mine: false }]);
});

test('a viewer can open a request but not decide it', async () => {
  const viewer = await signedIn(t.gate, (await t.addPerson('vic@example.org', 'viewer')).userId);
  const id = await ask();
  expect(await look(id, viewer)).toMatchObject({ can_approve: false, can_deny: false, why_not: 'viewer' });
});

test('an approved request shows its receipt, permit lifetime and use, but never the permit token', async () => {
  const id = await ask({ params: { amount: 5 } });
  await decide(id, { decision: 'approve' });
  const granted = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
  const { token } = granted.body.permit as { token: string };
  const before = await t.call('GET', `/console/intents/${id}`, { headers: session.headers });
  expect(before.text).not.toContain(token);
  expect(before.body).toMatchObject({
    status: 'approved',
    receipt: { intent_id: id },
    permit: { used_at: null },
  });
  await t.call('POST', '/v1/permits/validate', {
    key: t.first.agent_key,
    body: { token, action: 'payments.refund', params: { amount: 5 }, consume: true },
  });
  const after = await t.call('GET', `/console/intents/${id}`, { headers: session.headers });
  expect(after.body).toMatchObject({ permit: { used_at: expect.any(String) } });
  expect(after.text).not.toContain(token);
});

test('a request shows what was last approved for the same action', async () => {
  const first = await ask({ params: { amount: 5 } });
  expect((await look(first)).previous).toBeNull();
  await decide(first, { decision: 'approve' });
  const second = await ask({ params: { amount: 50 } });
  expect((await look(second)).previous).toMatchObject({
    id: first,
    approved_by: 'ann@example.org',
    canonical_params: '{"amount":5}',
  });
  expect((await look(first)).previous).toBeNull();
});

test('an identical request shows when the earlier one was approved, and whether its permit was used', async () => {
  const params = { order: 'A-4711', amount: 120.5 };
  const first = await ask({ params });
  expect((await look(first)).approved_lately).toBeNull();
  await decide(first, { decision: 'approve', intent_hash: (await look(first)).intent_hash });
  const approvedAt = (await look(first)).resolved_at;
  // A request in between does not hide the earlier approval, and another spelling of the parameters is the same action.
  const between = await ask({ params: { order: 'A-4711', amount: 1 } });
  await decide(between, { decision: 'approve', intent_hash: (await look(between)).intent_hash });
  const second = await ask({ params: { amount: 120.5, order: 'A-4711' } });
  const twin = { id: first, approved_at: approvedAt, used_at: null, revoked_at: null, outcome: null };
  expect((await look(second)).approved_lately).toEqual(twin);
  expect((await look(second)).previous).toMatchObject({ id: between });

  const granted = await t.call('GET', `/v1/intents/${first}`, { key: t.first.agent_key });
  const { token } = granted.body.permit as { token: string };
  await t.call('POST', '/v1/permits/validate', {
    key: t.first.agent_key,
    body: { token, action: 'payments.refund', params, consume: true },
  });
  const used = { ...twin, used_at: expect.any(String) };
  expect((await look(second)).approved_lately).toEqual(used);
  await t.call('POST', `/v1/intents/${first}/outcome`, {
    key: t.first.agent_key,
    body: { outcome: 'succeeded' },
  });
  expect((await look(second)).approved_lately).toEqual({ ...used, outcome: 'succeeded' });

  // Other parameters, another action and a resolved request have no earlier approval to show.
  expect((await look(await ask({ params: { ...params, amount: 120.51 } }))).approved_lately).toBeNull();
  expect((await look(await ask({ action: 'orders.cancel', params }))).approved_lately).toBeNull();
  expect((await look(first)).approved_lately).toBeNull();

  // A day after the approval, the page no longer shows it.
  const third = await ask({ params, expires_in: 3 * 24 * 60 * 60 });
  t.clock.advance(23 * 60 * 60);
  expect((await look(third, await signedIn(t.gate, ann.userId))).approved_lately).toMatchObject({
    id: first,
  });
  t.clock.advance(2 * 60 * 60);
  expect((await look(third, await signedIn(t.gate, ann.userId))).approved_lately).toBeNull();
});

test('opening the page decides nothing and records nothing', async () => {
  const id = await ask();
  const before = await t.events(t.projectId);
  for (const method of ['GET', 'HEAD']) {
    await t.call(method, `/console/intents/${id}?decision=approve`, { headers: session.headers });
    await t.call(method, `/approve/${id}`, { headers: session.headers });
  }
  expect(await t.events(t.projectId)).toHaveLength(before.length);
  expect((await look(id)).status).toBe('pending');
});

test('an intent of another project gets the same 404 as one that never existed', async () => {
  const other = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'live',
    ownerEmail: 'o@example.org',
  });
  const stranger = await signedIn(
    t.gate,
    (await t.gate.storage.read.listMembers(other.project.id))[0]?.userId ?? '',
  );
  const id = await ask();
  const answers = await Promise.all(
    [id, 'int_01hzzzzzzzzzzzzzzzzzzzzzzz', 'nonsense'].map((one) =>
      t.call('GET', `/console/intents/${one}`, { headers: stranger.headers }),
    ),
  );
  for (const { status, body } of answers) {
    expect([status, (body.error as JsonObject).code]).toEqual([404, 'intent_not_found']);
  }
  expect(new Set(answers.map(({ body }) => (body.error as JsonObject).message)).size).toBe(1);
});

test('people’s tokens and services can read the page data without the permit, but agents and executors cannot read it', async () => {
  const id = await ask();
  for (const key of [t.first.agent_key, t.first.verifier_key]) {
    expect((await t.call('GET', `/console/intents/${id}`, { key })).status).toBe(403);
  }
  expect((await t.call('GET', `/console/intents/${id}`)).status).toBe(401);
  await decide(id, { decision: 'approve' });
  const { body } = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
  const { token } = body.permit as { token: string };
  for (const key of [t.first.secret_key, t.owner.token]) {
    const answer = await t.call('GET', `/console/intents/${id}`, { key });
    expect(answer.body).toMatchObject({ id, status: 'approved', permit: { used_at: null } });
    expect(answer.text).not.toContain(token);
    expect(answer.text).not.toContain('"token"');
  }
});

test('a decision on another hash than the one shown is refused on both surfaces, and changes nothing', async () => {
  const id = await ask();
  const { intent_hash: seen } = await look(id);
  const wrong = seen.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  const bob = await t.addPerson('bob@example.org', 'approver');
  const answers = [
    await decide(id, { decision: 'approve', intent_hash: wrong }),
    await t.call('POST', `/v1/intents/${id}/approve`, { key: bob.token, body: { intent_hash: wrong } }),
    await t.call('POST', `/v1/intents/${id}/deny`, { key: bob.token, body: { intent_hash: wrong } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
  expect(await look(id)).toMatchObject({ status: 'pending', votes: [] });
  expect((await decide(id, { decision: 'approve', intent_hash: seen })).body.status).toBe('approved');
});

test('an approver can turn an approval into a denial while other approvals are missing', async () => {
  await t.addPerson('bob@example.org', 'approver');
  const id = await ask({ approvers: ['role:approver'], min_approvals: 2 });
  await decide(id, { decision: 'approve' });
  const answer = await decide(id, { decision: 'deny', reason: 'looked again' });
  expect(answer.body).toMatchObject({ status: 'denied', resolved_by: 'ann@example.org' });
});

test('when the policy comes to require proof, people who approved before must also give it', async () => {
  await t.addPerson('bob@example.org', 'approver');
  const id = await ask({ approvers: ['role:approver'], min_approvals: 2 });
  await decide(id, { decision: 'approve' });
  await putPolicy(t.gate, OPERATOR, {
    projectId: t.projectId,
    document: {
      name: 'stricter',
      default: { approvers: ['role:approver'] },
      rules: [
        {
          name: 'present',
          match: { action: 'payments.refund' },
          effect: 'require_approval',
          require: [{ from: ['role:approver'], count: 1 }],
          proof_tier: 'passkey',
        },
      ],
    },
  });
  expect(await look(id)).toMatchObject({
    proof: { tier: 'passkey', has_passkey: false },
    policy: { changed: true },
    approvals_received: 0,
    can_approve: true,
  });
});
