/** More time, and asking again: who may, once, and that whoever asks does not decide. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pauseAgent } from '../../src/gate/agents/agent-status.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { askAgain } from '../../src/gate/tools/ask-again.ts';
import { saveGroup } from '../../src/people/groups/save-group.ts';
import { approveInPerson } from '../fixtures/approve-in-person.ts';
import { asShown } from '../fixtures/as-shown.ts';
import { broughtIn } from '../fixtures/brought-in.ts';
import { OPERATOR, OWNER_EMAIL, type Person } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
let ann: Person;
let annSession: SignedIn;
let owner: SignedIn;

beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  annSession = await signedIn(t.gate, ann.userId);
  owner = await signedIn(t.gate, t.owner.userId);
});
afterEach(() => t.close());

const REQUEST = {
  action: 'payments.refund',
  params: { amount: 5 },
  metadata: { why: 'late parcel' },
  risk_tier: 'high',
  expires_in: 600,
};

async function ask(body: object = {}, key = t.first.agent_key): Promise<string> {
  return String((await t.call('POST', '/v1/intents', { key, body: { ...REQUEST, ...body } })).body.id);
}

async function askExpired(body: object = {}, key = t.first.agent_key): Promise<string> {
  const id = await ask(body, key);
  t.clock.advance(601);
  return id;
}

const find = async (id: string) => {
  const intent = await t.gate.storage.read.findIntent(id);
  if (!intent) throw new Error('gone');
  return intent;
};
const codeOf = (body: Record<string, unknown>) => (body.error as { code: string } | undefined)?.code;
const extend = (id: string, who: SignedIn, body: object = {}) =>
  t.call('POST', `/console/intents/${id}/ask-to-extend`, { headers: who.headers, body });
const againByPage = (id: string, who: SignedIn, body: object = {}) =>
  t.call('POST', `/console/intents/${id}/ask-again`, { headers: who.headers, body });
const againByKey = (id: string, key: string, body: object = {}) =>
  t.call('POST', `/v1/intents/${id}/ask-again`, { key, body });

describe('more time', () => {
  test('is asked for by an approver, recorded, and shown to the requester on both surfaces', async () => {
    const id = await ask();
    const answer = await extend(id, annSession, { comment: 'I am on a train until noon.' });
    const asked = { by: 'ann@example.org', at: t.clock.now(), comment: 'I am on a train until noon.' };
    expect([answer.status, answer.body]).toEqual([200, asked]);
    for (const path of [`/v1/intents/${id}`, `/api/intents/${id}`]) {
      const { body } = await t.call('GET', path, { key: t.first.agent_key });
      expect(body).toMatchObject({ status: 'pending', extension_requested: asked });
    }
    const [event] = await t.events(t.projectId, 'extension.requested');
    expect(event).toMatchObject({ intentId: id, data: { comment: asked.comment } });
    expect(event?.commitments).toHaveProperty('/data/comment');
  });

  test('never changes when the intent expires', async () => {
    const id = await ask();
    const { expiresAt } = await find(id);
    await extend(id, annSession);
    expect((await find(id)).expiresAt).toBe(expiresAt);
  });

  test('is asked for once', async () => {
    const id = await ask();
    await extend(id, annSession);
    const second = await extend(id, owner);
    expect([second.status, codeOf(second.body)]).toEqual([409, 'conflict']);
    expect((await find(id)).extensionRequest?.by).toBe('ann@example.org');
  });

  test('is refused to those who could not decide, and once it is too late', async () => {
    const viewer = await signedIn(t.gate, (await t.addPerson('vic@example.org', 'viewer')).userId);
    const outsider = await signedIn(t.gate, (await t.addPerson('out@example.org', 'approver')).userId);
    const { projectId } = t;
    await saveGroup(t.gate, OPERATOR, { projectId, name: 'finance', members: ['ann@example.org'] });
    const fallback = { approvers: ['finance'] };
    await putPolicy(t.gate, OPERATOR, { projectId, document: { name: 'p', default: fallback, rules: [] } });
    const id = await ask();
    expect((await extend(id, viewer)).status).toBe(403);
    expect((await extend(id, outsider)).status).toBe(403);
    expect((await find(id)).extensionRequest).toBeNull();
    t.clock.advance(601);
    expect(codeOf((await extend(id, annSession)).body)).toBe('intent_expired');
  });
});

describe('asking again', () => {
  test('by the agent: a new intent that asks for the same, linked to the first', async () => {
    const id = await askExpired();
    const answer = await againByKey(id, t.first.agent_key);
    expect([answer.status, answer.body]).toMatchObject([
      201,
      {
        status: 'pending',
        action: REQUEST.action,
        params: REQUEST.params,
        metadata: REQUEST.metadata,
        risk_tier: 'high',
        asked_again_from: id,
      },
    ]);
    const again = await find(String(answer.body.id));
    expect(again).toMatchObject({
      askedBy: null,
      agentId: t.agentId,
      paramsHash: (await find(id)).paramsHash,
    });
    expect(Date.parse(again.expiresAt) - Date.parse(again.createdAt)).toBe(600_000);
    const created = (await t.events(t.projectId, 'intent.created')).at(-1);
    expect(created?.data).toMatchObject({ asked_again_from: id });
  });

  test('with a lifetime of its own', async () => {
    const answer = await againByKey(await askExpired(), t.first.agent_key, { expires_in: 60 });
    const again = await find(String(answer.body.id));
    expect(Date.parse(again.expiresAt) - Date.parse(again.createdAt)).toBe(60_000);
  });

  test('is done once; then the new one is asked for again', async () => {
    const id = await askExpired();
    const attempts = await Promise.all(Array.from({ length: 5 }, () => againByKey(id, t.first.agent_key)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const again = String(attempts.find(({ status }) => status === 201)?.body.id);
    t.clock.advance(601);
    expect((await againByKey(again, t.first.agent_key)).body).toMatchObject({ asked_again_from: again });
  });

  describe('for what was approved and came to nothing', () => {
    const used = async (outcome?: string): Promise<string> => {
      const id = await ask();
      await approveInPerson(t.gate, t.owner.userId, id);
      const { body } = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
      const { token } = body.permit as { token: string };
      const use = { token, action: REQUEST.action, params: REQUEST.params, consume: true };
      const key = t.first.agent_key;
      expect((await t.call('POST', '/v1/permits/validate', { key, body: use })).status).toBe(200);
      if (outcome) await t.call('POST', `/v1/intents/${id}/outcome`, { key, body: { outcome } });
      return id;
    };
    const approved = async () => {
      const id = await ask();
      await approveInPerson(t.gate, t.owner.userId, id);
      return id;
    };
    const expectResolved = async (id: string) => {
      const before = (await t.events(t.projectId)).length;
      const answer = await againByKey(id, t.first.agent_key);
      expect([answer.status, codeOf(answer.body)]).toEqual([409, 'intent_already_resolved']);
      expect(await t.events(t.projectId)).toHaveLength(before);
    };

    test('since it failed: people decide again, and the first approval stays used', async () => {
      const id = await used('failed');
      const answer = await againByKey(id, t.first.agent_key);
      expect([answer.status, answer.body]).toMatchObject([
        201,
        { status: 'pending', params: REQUEST.params, asked_again_from: id },
      ]);
      expect(await find(id)).toMatchObject({ status: 'approved', outcome: 'failed' });
      expect((await againByKey(id, t.first.agent_key)).status).toBe(409);
    });

    test('since nobody used it in time, and no earlier', async () => {
      const id = await approved();
      t.clock.advance(599);
      await expectResolved(id);
      // A fresh permit lives on after the intent's own time.
      const fresh = await t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} });
      expect(fresh.status).toBe(201);
      t.clock.advance(2);
      await expectResolved(id);
      t.clock.advance(300);
      const answer = await againByKey(id, t.first.agent_key);
      expect([answer.status, answer.body.status]).toEqual([201, 'pending']);
    });

    test('is refused while it may have been carried out, and once it was revoked', async () => {
      for (const outcome of [undefined, 'succeeded', 'unknown']) await expectResolved(await used(outcome));
      const id = await approved();
      const body = { intent_id: id };
      const revoked = await t.call('POST', '/v1/permits/revoke', { key: t.owner.token, body });
      expect(revoked.status).toBe(200);
      t.clock.advance(3600);
      await expectResolved(id);
    });
  });

  test('is decided by policy again', async () => {
    const id = await askExpired();
    await putPolicy(t.gate, OPERATOR, {
      projectId: t.projectId,
      document: {
        name: 'closed',
        default: { approvers: ['role:approver'], min_approvals: 1 },
        rules: [
          { name: 'no refunds', match: { action: 'payments.refund' }, effect: 'deny', reason: 'Closed.' },
        ],
      },
    });
    const answer = await againByKey(id, t.first.agent_key);
    expect([answer.status, answer.body.error]).toMatchObject([
      403,
      { code: 'policy_violation', rule: 'no refunds' },
    ]);
  });

  test('is refused while it waits, and once it was decided', async () => {
    const waiting = await ask();
    expect(codeOf((await againByKey(waiting, t.first.agent_key)).body)).toBe('conflict');
    await t.call('PATCH', `/api/intents/${waiting}`, {
      headers: annSession.headers,
      body: { decision: 'deny' },
    });
    const decided = await againByKey(waiting, t.first.agent_key);
    expect(decided.body.error).toMatchObject({ code: 'intent_already_resolved', status: 'denied' });
  });

  test('after an approver asked for more time the waiting one gives way to the new one', async () => {
    const id = await ask();
    await extend(id, annSession);
    const answer = await againByKey(id, t.first.agent_key, { expires_in: 7200 });
    expect(answer.status).toBe(201);
    expect(await find(id)).toMatchObject({ status: 'denied', reason: 'withdrawn' });
    const late = await t.call('PATCH', `/api/intents/${id}`, {
      headers: annSession.headers,
      body: { decision: 'approve', ...(await asShown(t.gate, id)) },
    });
    expect(codeOf(late.body)).toBe('INTENT_ALREADY_RESOLVED');
    expect((await find(String(answer.body.id))).status).toBe('pending');
  });

  test('is refused to every other credential', async () => {
    const id = await askExpired();
    const { key: strangers } = await t.addAgent({ name: 'other-bot' });
    expect((await againByKey(id, strangers)).status).toBe(404);
    expect((await againByKey(id, t.first.secret_key)).status).toBe(403);
    expect((await againByKey(id, ann.token)).status).toBe(403);
    expect((await againByPage(id, annSession)).status).toBe(403);
    expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
  });

  test('is refused for a paused agent, also when a person asks in its place', async () => {
    const id = await askExpired();
    await pauseAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    expect(codeOf((await againByKey(id, t.first.agent_key)).body)).toBe('agent_paused');
    expect(codeOf((await againByPage(id, owner)).body)).toBe('agent_paused');
  });

  test('a repeated call under its Idempotency-Key gives the first answer', async () => {
    const id = await askExpired();
    const headers = { 'idempotency-key': 'once' };
    const call = () =>
      t.call('POST', `/v1/intents/${id}/ask-again`, { key: t.first.agent_key, body: {}, headers });
    const first = await call();
    expect((await call()).body).toEqual(first.body);
  });
});

describe('asking again from the page', () => {
  test('by who answers for the requesting key: the requester stays, so that it can collect the permit', async () => {
    const service = await t.addService(OWNER_EMAIL);
    const id = await askExpired({}, service.key);
    const answer = await againByPage(id, owner);
    expect(answer.status).toBe(201);
    const again = String(answer.body.id);
    expect(await find(again)).toMatchObject({
      requester: { type: 'key', id: service.keyId },
      askedBy: t.owner.userId,
      askedAgainFrom: id,
    });
    await t.call('PATCH', `/api/intents/${again}`, {
      headers: annSession.headers,
      body: { decision: 'approve', ...(await asShown(t.gate, again)) },
    });
    const collected = await t.call('GET', `/v1/intents/${again}`, { key: service.key });
    expect(collected.body).toHaveProperty('permit.token');
  });

  test('a person who resubmits a request never approves it, present or through a program (live mode)', async () => {
    const service = await t.addService(OWNER_EMAIL);
    const again = String((await againByPage(await askExpired({}, service.key), owner)).body.id);
    const other = await t.addService(OWNER_EMAIL, 'another one');
    const attempts = [
      await t.call('PATCH', `/api/intents/${again}`, {
        headers: owner.headers,
        body: { decision: 'approve', ...(await asShown(t.gate, again)) },
      }),
      await t.call('POST', `/v1/intents/${again}/approve`, { key: t.owner.token, body: {} }),
      await t.call('POST', `/v1/intents/${again}/approve`, { key: other.key, body: {} }),
    ];
    for (const { status, body } of attempts) {
      expect([status, body.error]).toMatchObject([403, { required: 'separation_of_duties' }]);
    }
    expect((await find(again)).status).toBe('pending');
    const shown = await t.call('GET', `/console/intents/${again}`, { headers: owner.headers });
    expect(shown.body).toMatchObject({ can_approve: false, can_deny: true, why_not: 'own_request' });
  });

  test('nor does a member whom a program of theirs brought in', async () => {
    const friend = await broughtIn(t, [t.owner], 'friend@example.org', 'approver');
    const again = String((await againByPage(await askExpired(), owner)).body.id);
    const answer = await t.call('PATCH', `/api/intents/${again}`, {
      headers: friend.headers,
      body: { decision: 'approve', ...(await asShown(t.gate, again)) },
    });
    expect([answer.status, answer.body.error]).toMatchObject([403, { required: 'separation_of_duties' }]);
    expect((await find(again)).status).toBe('pending');
  });

  test('an administrator asks in the place of an agent whom nobody answers for, and does not decide', async () => {
    const again = String((await againByPage(await askExpired(), owner)).body.id);
    expect(await find(again)).toMatchObject({ agentId: t.agentId, askedBy: t.owner.userId });
    const own = await t.call('PATCH', `/api/intents/${again}`, {
      headers: owner.headers,
      body: { decision: 'approve', ...(await asShown(t.gate, again)) },
    });
    expect(own.status).toBe(403);
  });

  test('is refused where nobody else could approve it then', async () => {
    const id = await askExpired({ approvers: [OWNER_EMAIL] });
    // The intent's own approvers are asked for again as well.
    const code = await refusalOf(askAgain(t.gate, await owner.caller(), { intentId: id }));
    expect(code).toMatchObject({ code: 'forbidden', details: { required: 'separation_of_duties' } });
    expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
  });

  describe('a request that names approvers narrows as when it was made', () => {
    const group = (name: string, ...members: string[]) =>
      saveGroup(t.gate, OPERATOR, { projectId: t.projectId, name, members });
    const askBothGroups = () =>
      putPolicy(t.gate, OPERATOR, {
        projectId: t.projectId,
        document: {
          name: 'p',
          default: { approvers: ['role:approver'] },
          rules: [
            {
              name: 'both',
              match: { action: REQUEST.action },
              effect: 'require_approval',
              require: [
                { from: ['finance'], count: 1 },
                { from: ['security'], count: 1 },
              ],
            },
          ],
        },
      });
    const approve = async (id: string, who: SignedIn) =>
      (
        await t.call('POST', `/v1/intents/${id}/approve`, {
          headers: who.headers,
          body: await asShown(t.gate, id),
        })
      ).body.status;

    test('the person who asks may be among them, beside somebody who can approve', async () => {
      const id = await askExpired({ approvers: [OWNER_EMAIL, 'ann@example.org'] });
      const answer = await againByPage(id, owner);
      expect(answer.status).toBe(201);
      expect(await approve(String(answer.body.id), annSession)).toBe('approved');
    });

    test('an entry that none of them could fill stays whole', async () => {
      await group('finance', OWNER_EMAIL, 'ann@example.org');
      const cem = await signedIn(t.gate, (await t.addPerson('cem@example.org', 'approver')).userId);
      await group('security', 'cem@example.org');
      await askBothGroups();
      const answer = await againByPage(await askExpired({ approvers: ['finance'] }), owner);
      const again = String(answer.body.id);
      expect((await find(again)).requirement).toEqual([
        { from: ['finance'], count: 1, among: ['finance'] },
        { from: ['security'], count: 1 },
      ]);
      expect(await approve(again, cem)).toBe('pending');
      expect(await approve(again, annSession)).toBe('approved');
    });

    test('an entry that only the person who asks could fill is refused, and nothing is made', async () => {
      await group('finance', OWNER_EMAIL, 'ann@example.org');
      await t.addPerson('cem@example.org', 'approver');
      await group('security', OWNER_EMAIL, 'cem@example.org');
      await askBothGroups();
      const id = await askExpired({ approvers: ['finance'] });
      const answer = await againByPage(id, owner);
      expect([answer.status, answer.body.error]).toMatchObject([403, { required: 'separation_of_duties' }]);
      expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
    });

    test('a name that is gone is refused as in a new request', async () => {
      await group('auditors', 'ann@example.org');
      const id = await askExpired({ approvers: ['auditors'] });
      await group('auditors');
      const answer = await againByPage(id, owner);
      expect([answer.status, codeOf(answer.body)]).toEqual([422, 'approver_not_found']);
      expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
    });
  });

  test('is offered only to those who may', async () => {
    const id = await askExpired();
    const offered = async (who: SignedIn) =>
      (await t.call('GET', `/console/intents/${id}`, { headers: who.headers })).body;
    expect(await offered(owner)).toMatchObject({
      status: 'expired',
      can_ask_again: true,
      asked_again_as: null,
    });
    expect(await offered(annSession)).toMatchObject({ can_ask_again: false });
    const { id: again } = (await againByPage(id, owner)).body;
    expect(await offered(owner)).toMatchObject({ can_ask_again: false, asked_again_as: again });
  });

  test('takes a page of ours', async () => {
    const id = await askExpired();
    const foreign = { ...owner.headers, origin: 'https://evil.example' };
    const answer = await t.call('POST', `/console/intents/${id}/ask-again`, { headers: foreign, body: {} });
    expect(answer.status).toBe(403);
    expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
  });
});
