/**
 * Asking for more time and resubmitting: who may do so, that each is possible only once, and that the person who
 * resubmits cannot decide.
 */
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

describe('asking for more time', () => {
  test('is recorded, and shown to the requester on both surfaces', async () => {
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

  test('does not change when the intent expires', async () => {
    const id = await ask();
    const { expiresAt } = await find(id);
    await extend(id, annSession);
    expect((await find(id)).expiresAt).toBe(expiresAt);
  });

  test('is possible only once', async () => {
    const id = await ask();
    await extend(id, annSession);
    const second = await extend(id, owner);
    expect([second.status, codeOf(second.body)]).toEqual([409, 'conflict']);
    expect((await find(id)).extensionRequest?.by).toBe('ann@example.org');
  });

  test('is refused to people who could not decide, and after the expiry', async () => {
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

describe('resubmitting a request', () => {
  test('creates an intent with the same action and parameters, linked to the first', async () => {
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

  test('can set another lifetime', async () => {
    const answer = await againByKey(await askExpired(), t.first.agent_key, { expires_in: 60 });
    const again = await find(String(answer.body.id));
    expect(Date.parse(again.expiresAt) - Date.parse(again.createdAt)).toBe(60_000);
  });

  test('is possible once, and the new request can be resubmitted in turn', async () => {
    const id = await askExpired();
    const attempts = await Promise.all(Array.from({ length: 5 }, () => againByKey(id, t.first.agent_key)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const again = String(attempts.find(({ status }) => status === 201)?.body.id);
    t.clock.advance(601);
    expect((await againByKey(again, t.first.agent_key)).body).toMatchObject({ asked_again_from: again });
  });

  describe('that was approved', () => {
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

    test('asks for a new decision after the action failed, and the first approval stays used', async () => {
      const id = await used('failed');
      const answer = await againByKey(id, t.first.agent_key);
      expect([answer.status, answer.body]).toMatchObject([
        201,
        { status: 'pending', params: REQUEST.params, asked_again_from: id },
      ]);
      expect(await find(id)).toMatchObject({ status: 'approved', outcome: 'failed' });
      expect((await againByKey(id, t.first.agent_key)).status).toBe(409);
    });

    test('is possible once its last permit has expired unused, and not before', async () => {
      const id = await approved();
      t.clock.advance(599);
      await expectResolved(id);
      // A fresh permit may outlive the intent's expiry.
      const fresh = await t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} });
      expect(fresh.status).toBe(201);
      t.clock.advance(2);
      await expectResolved(id);
      t.clock.advance(300);
      const answer = await againByKey(id, t.first.agent_key);
      expect([answer.status, answer.body.status]).toEqual([201, 'pending']);
    });

    test('is refused while the action may have been carried out, and after the approval was revoked', async () => {
      for (const outcome of [undefined, 'succeeded', 'unknown']) await expectResolved(await used(outcome));
      const id = await approved();
      const body = { intent_id: id };
      const revoked = await t.call('POST', '/v1/permits/revoke', { key: t.owner.token, body });
      expect(revoked.status).toBe(200);
      t.clock.advance(3600);
      await expectResolved(id);
    });
  });

  test('evaluates the policy again', async () => {
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

  test('is refused while the request is pending, and after it was denied', async () => {
    const waiting = await ask();
    expect(codeOf((await againByKey(waiting, t.first.agent_key)).body)).toBe('conflict');
    await t.call('PATCH', `/api/intents/${waiting}`, {
      headers: annSession.headers,
      body: { decision: 'deny' },
    });
    const decided = await againByKey(waiting, t.first.agent_key);
    expect(decided.body.error).toMatchObject({ code: 'intent_already_resolved', status: 'denied' });
  });

  test('withdraws the pending request if an approver asked for more time', async () => {
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

  test('is refused to every credential but that of its requester', async () => {
    const id = await askExpired();
    const { key: strangers } = await t.addAgent({ name: 'other-bot' });
    expect((await againByKey(id, strangers)).status).toBe(404);
    expect((await againByKey(id, t.first.secret_key)).status).toBe(403);
    expect((await againByKey(id, ann.token)).status).toBe(403);
    expect((await againByPage(id, annSession)).status).toBe(403);
    expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
  });

  test('is refused for a paused agent, even if a person resubmits in its place', async () => {
    const id = await askExpired();
    await pauseAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    expect(codeOf((await againByKey(id, t.first.agent_key)).body)).toBe('agent_paused');
    expect(codeOf((await againByPage(id, owner)).body)).toBe('agent_paused');
  });

  test('returns the first answer again when it is repeated with the same Idempotency-Key', async () => {
    const id = await askExpired();
    const headers = { 'idempotency-key': 'once' };
    const call = () =>
      t.call('POST', `/v1/intents/${id}/ask-again`, { key: t.first.agent_key, body: {}, headers });
    const first = await call();
    expect((await call()).body).toEqual(first.body);
  });
});

describe('resubmitting from the page', () => {
  test('keeps the requesting key as the requester, so that this key can collect the permit', async () => {
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

  test('a member who was added by a program of the person who resubmits cannot approve the new request', async () => {
    const friend = await broughtIn(t, [t.owner], 'friend@example.org', 'approver');
    const again = String((await againByPage(await askExpired(), owner)).body.id);
    const answer = await t.call('PATCH', `/api/intents/${again}`, {
      headers: friend.headers,
      body: { decision: 'approve', ...(await asShown(t.gate, again)) },
    });
    expect([answer.status, answer.body.error]).toMatchObject([403, { required: 'separation_of_duties' }]);
    expect((await find(again)).status).toBe('pending');
  });

  test('an owner can resubmit for an agent that nobody answers for, but cannot approve the new request', async () => {
    const again = String((await againByPage(await askExpired(), owner)).body.id);
    expect(await find(again)).toMatchObject({ agentId: t.agentId, askedBy: t.owner.userId });
    const own = await t.call('PATCH', `/api/intents/${again}`, {
      headers: owner.headers,
      body: { decision: 'approve', ...(await asShown(t.gate, again)) },
    });
    expect(own.status).toBe(403);
  });

  test('is refused if nobody else could approve the new request', async () => {
    const id = await askExpired({ approvers: [OWNER_EMAIL] });
    // The resubmitted intent would request the same approvers: only the owner, who could not decide then.
    const code = await refusalOf(askAgain(t.gate, await owner.caller(), { intentId: id }));
    expect(code).toMatchObject({ code: 'forbidden', details: { required: 'separation_of_duties' } });
    expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
  });

  describe('a request that names approvers', () => {
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

    test('is possible for a named approver, if another named approver can approve', async () => {
      const id = await askExpired({ approvers: [OWNER_EMAIL, 'ann@example.org'] });
      const answer = await againByPage(id, owner);
      expect(answer.status).toBe(201);
      expect(await approve(String(answer.body.id), annSession)).toBe('approved');
    });

    test('leaves an entry unchanged that none of the named approvers could fill', async () => {
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

    test('is refused, and creates nothing, if only the person who resubmits could fill an entry', async () => {
      await group('finance', OWNER_EMAIL, 'ann@example.org');
      await t.addPerson('cem@example.org', 'approver');
      await group('security', OWNER_EMAIL, 'cem@example.org');
      await askBothGroups();
      const id = await askExpired({ approvers: ['finance'] });
      const answer = await againByPage(id, owner);
      expect([answer.status, answer.body.error]).toMatchObject([403, { required: 'separation_of_duties' }]);
      expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
    });

    test('is refused if a named group no longer has members, as for a new request', async () => {
      await group('auditors', 'ann@example.org');
      const id = await askExpired({ approvers: ['auditors'] });
      await group('auditors');
      const answer = await againByPage(id, owner);
      expect([answer.status, codeOf(answer.body)]).toEqual([422, 'approver_not_found']);
      expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
    });
  });

  test('is offered only to people who may do it', async () => {
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

  test('is refused to pages of another origin', async () => {
    const id = await askExpired();
    const foreign = { ...owner.headers, origin: 'https://evil.example' };
    const answer = await t.call('POST', `/console/intents/${id}/ask-again`, { headers: foreign, body: {} });
    expect(answer.status).toBe(403);
    expect(await t.gate.storage.read.findAskedAgain(id)).toBeUndefined();
  });
});
