import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { anId, expectFields, expectRefusal, HASH, INSTANT, JWS } from './expect-refusal.ts';
import { openDocumentedApp } from './open-documented-app.ts';

let t: TestApp;
let secret: string;
let agent: string;
beforeEach(async () => {
  t = await openDocumentedApp();
  secret = t.first.secret_key;
  agent = t.first.agent_key;
});
afterEach(async () => {
  await t.close();
});

const DEPLOY = { action: 'deploy.production', params: { version: '1.2.3' } };

const PENDING = {
  id: anId('int'),
  status: 'pending',
  action: 'deploy.production',
  params: { version: '1.2.3' },
  params_hash: HASH,
  source: 'first-agent',
  source_type: 'ai_agent',
  approvers: [],
  approval_url: expect.stringMatching(/^http:\/\/localhost:4000\/approve\/int_\w{26}$/),
  expires_at: INSTANT,
  created_at: INSTANT,
  metadata: {},
  risk_tier: 'low',
  proof_tier: 'none',
  approvals_required: 1,
  approvals_received: 0,
  approvals: [],
  resolved_at: null,
  resolved_by: null,
  reason: null,
  outcome: null,
};

const PERMIT = { token: JWS, expires_at: INSTANT, approved_by: OWNER_EMAIL, approved_at: INSTANT };

const APPROVED = {
  ...PENDING,
  status: 'approved',
  approvals_received: 1,
  approvals: [{ by: OWNER_EMAIL, at: INSTANT, method: 'key' }],
  resolved_at: INSTANT,
  resolved_by: OWNER_EMAIL,
  permit: PERMIT,
};

function call(method: 'GET' | 'POST', path: string, body?: object, key = secret) {
  return t.call(method, `/v1/intents${path}`, { key, ...(body ? { body } : {}) });
}

async function create(body: object = DEPLOY, key = agent): Promise<string> {
  const answer = await call('POST', '', body, key);
  expect(answer.status).toBe(201);
  return String(answer.body.id);
}

async function approved(body: object = DEPLOY, key = agent): Promise<{ id: string; token: string }> {
  const answer = await call('POST', `/${await create(body, key)}/approve`, {});
  expect(answer.status).toBe(200);
  return { id: String(answer.body.id), token: (answer.body.permit as { token: string }).token };
}

async function consumed(key = secret): Promise<string> {
  const { id, token } = await approved();
  const used = await t.call('POST', '/v1/permits/validate', {
    key,
    body: { token, ...DEPLOY, consume: true },
  });
  expect(used.status).toBe(200);
  return id;
}

function putRule(rule: object) {
  return t.call('PUT', `/v1/projects/${t.projectId}/policies`, {
    key: secret,
    body: {
      name: 'test',
      default: { approvers: ['role:approver'], min_approvals: 1 },
      rules: [{ match: { action: 'deploy.*' }, ...rule }],
    },
  });
}

describe('POST /v1/intents', () => {
  it('returns the pending intent with all its members and no others', async () => {
    const answer = await call('POST', '', DEPLOY, agent);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(PENDING);
    expect(String(answer.body.approval_url)).toContain(String(answer.body.id));
  });

  it('accepts every member of the interface and of the contract', async () => {
    const body = {
      ...DEPLOY,
      approvers: [OWNER_EMAIL],
      min_approvals: 1,
      expires_in: 90,
      source: 'ci',
      source_type: 'ci',
      risk_tier: 'critical',
      proof_tier: 'session',
      metadata: { ticket: 'OPS-7' },
    };
    const answer = await call('POST', '', body);
    const { approvers, metadata } = body;
    expect(answer.body).toEqual({
      ...PENDING,
      approvers,
      metadata,
      source: 'ci',
      source_type: 'ci',
      risk_tier: 'critical',
      proof_tier: 'session',
    });
    const lifetime = Date.parse(String(answer.body.expires_at)) - Date.parse(String(answer.body.created_at));
    expect(lifetime).toBe(90_000);
  });

  it('includes the permit when the policy approves at once', async () => {
    await putRule({ name: 'free', effect: 'allow' });
    const answer = await call('POST', '', DEPLOY, agent);
    expect(answer.status).toBe(201);
    const by = 'policy:free';
    expect(answer.body).toEqual({
      ...APPROVED,
      approvals_required: 0,
      approvals_received: 0,
      approvals: [{ by, at: INSTANT, method: 'policy' }],
      resolved_by: by,
      permit: { ...PERMIT, approved_by: by },
    });
  });

  it('is refused when the policy denies, and the intent is recorded as denied', async () => {
    await putRule({ name: 'frozen', effect: 'deny', reason: 'Code freeze.' });
    const answer = await call('POST', '', DEPLOY, agent);
    const rule = { rule: 'frozen', reason: 'Code freeze.', intent_id: anId('int') };
    expectRefusal(answer, 403, 'policy_violation', rule);
    const { intent_id: id } = answer.body.error as { intent_id: string };
    expect((await call('GET', `/${id}`, undefined, agent)).body).toEqual({
      ...PENDING,
      status: 'denied',
      approvals_required: 0,
      resolved_at: INSTANT,
      resolved_by: 'policy:frozen',
      reason: 'Code freeze.',
    });
  });

  it('hashes only the parameters, not the metadata', async () => {
    const hashes = await Promise.all(
      [{ note: 'one' }, { note: 'two' }].map(async (metadata) => {
        const id = await create({ ...DEPLOY, metadata });
        return (await t.call('GET', `/api/intents/${id}`, { key: agent })).body.params_hash;
      }),
    );
    expect(hashes[0]).toBe(hashes[1]);
  });

  it.each([
    [{}, ['/action']],
    [{ action: 'deploy', params: [] }, ['/params']],
    [{ action: 'deploy', params: 'x' }, ['/params']],
    [{ action: 'deploy', context: {} }, ['/context']],
    [{ action: 'deploy', expires_in: 0 }, ['/expires_in']],
    [{ action: 'deploy', expires_in: 2_592_001 }, ['/expires_in']],
    [{ action: 'deploy', approvers: [''] }, ['/approvers/0']],
    [{ action: 'deploy', metadata: 7 }, ['/metadata']],
    [{ action: 'bad action', source_type: 'robot', max: 1 }, ['/action', '/max', '/source_type']],
  ])('refuses %j', async (body, paths) => {
    expectFields(await call('POST', '', body, agent), 'invalid_request', ...paths);
  });

  it('refuses unknown approvers, a paused agent, a stopped project, and callers who may not create', async () => {
    const unknown = await call('POST', '', { ...DEPLOY, approvers: ['nobody', OWNER_EMAIL] });
    expectRefusal(unknown, 422, 'approver_not_found', { approvers: ['nobody', OWNER_EMAIL] });
    const of = `/v1/projects/${t.projectId}`;
    await t.call('POST', `${of}/agents/${t.agentId}/pause`, { key: secret });
    expectRefusal(await call('POST', '', DEPLOY, agent), 403, 'agent_paused');
    await t.call('POST', `${of}/stop`, { key: secret });
    expectRefusal(await call('POST', '', DEPLOY), 403, 'project_stopped');
    for (const key of [t.owner.token, t.first.verifier_key]) {
      expectRefusal(await call('POST', '', DEPLOY, key), 403, 'forbidden', { required: 'intents:create' });
    }
  });
});

describe('GET /v1/intents/:id', () => {
  it('shows the permit token to the requester and the project, but not to people', async () => {
    const { id } = await approved();
    for (const key of [agent, secret])
      expect((await call('GET', `/${id}`, undefined, key)).body).toEqual(APPROVED);
    const { token: _secret, ...permit } = PERMIT;
    expect((await call('GET', `/${id}`, undefined, t.owner.token)).body).toEqual({ ...APPROVED, permit });
  });

  it('returns the same permit each time', async () => {
    const { id, token } = await approved();
    for (let i = 0; i < 2; i++) {
      expect((await call('GET', `/${id}`)).body).toMatchObject({ permit: { token } });
    }
    expect(await t.events(t.projectId, 'permit.issued')).toHaveLength(1);
  });

  it('returns 404 for an unknown intent and for another agent’s', async () => {
    const id = await create();
    const other = await t.addAgent({ name: 'other-agent' });
    expectRefusal(await call('GET', '/int_00000000000000000000000000'), 404, 'intent_not_found');
    expectRefusal(await call('GET', `/${id}`, undefined, other.key), 404, 'intent_not_found');
  });
});

describe('POST /v1/intents/:id/approve and /deny', () => {
  it('record an approval’s comment in the audit log and leave it out of the answer', async () => {
    const answer = await call('POST', `/${await create()}/approve`, { comment: 'Go ahead.' });
    expect(answer.body).toEqual(APPROVED);
    const [vote] = await t.events(t.projectId, 'approval.recorded');
    expect(vote?.data).toMatchObject({ decision: 'approve', comment: 'Go ahead.' });
  });

  it('deny with a reason, or with no body at all', async () => {
    const denied = { ...PENDING, status: 'denied', resolved_at: INSTANT, resolved_by: OWNER_EMAIL };
    const why = await call('POST', `/${await create()}/deny`, { reason: 'Not today.' });
    expect(why.body).toEqual({ ...denied, reason: 'Not today.' });
    expect((await call('POST', `/${await create()}/deny`)).body).toEqual(denied);
  });

  it('count different people towards the quorum, and deny on a single denial', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const bob = await t.addPerson('bob@example.org', 'approver');
    for (const last of ['approve', 'deny']) {
      const id = await create({ ...DEPLOY, min_approvals: 3 });
      await call('POST', `/${id}/approve`, {}, ann.token);
      const open = await call('POST', `/${id}/approve`, {}, bob.token);
      expect(open.body).toEqual({
        ...PENDING,
        approvals_required: 3,
        approvals_received: 2,
        approvals: ['ann@example.org', 'bob@example.org'].map((by) => ({ by, at: INSTANT, method: 'token' })),
      });
      expectRefusal(await call('POST', `/${id}/approve`, {}, bob.token), 409, 'already_voted');
      const { body } = await call('POST', `/${id}/${last}`, {});
      expect(body.status).toBe(last === 'approve' ? 'approved' : 'denied');
      if (last === 'approve') expect(body.approvals).toHaveLength(3);
    }
  });

  it('refuse an intent that is already resolved', async () => {
    const { id } = await approved();
    for (const verb of ['approve', 'deny']) {
      const again = await call('POST', `/${id}/${verb}`, {});
      expectRefusal(again, 409, 'intent_already_resolved', { status: 'approved' });
    }
  });

  it('refuse malformed bodies, callers who may not decide, and unknown intents', async () => {
    const id = await create();
    expectFields(await call('POST', `/${id}/approve`, { reason: 'x' }), 'invalid_request', '/reason');
    expectFields(await call('POST', `/${id}/deny`, { comment: 'x' }), 'invalid_request', '/comment');
    expectFields(
      await call('POST', `/${id}/approve`, { approved_by: 'x' }),
      'invalid_request',
      '/approved_by',
    );
    for (const key of [agent, t.first.verifier_key]) {
      const required = 'intents:decide';
      expectRefusal(await call('POST', `/${id}/approve`, {}, key), 403, 'forbidden', { required });
    }
    const unknown = await call('POST', '/int_00000000000000000000000000/deny', {});
    expectRefusal(unknown, 404, 'intent_not_found');
    expect((await call('GET', `/${id}`)).body.status).toBe('pending');
  });
});

it('texts may contain any character except NUL, which not every database can store', async () => {
  const odd = 'line\r\nbreak \u202e \u{1f600} \u0001';
  for (const [text, status] of [
    [odd, 200],
    [`${odd}\u0000`, 400],
  ] as const) {
    const create = { key: secret, body: { ...DEPLOY, source: text } };
    expect((await t.call('POST', '/v1/intents', create)).status).toBe(status === 200 ? 201 : 400);
    const { body: intent } = await t.call('POST', '/v1/intents', { key: agent, body: DEPLOY });
    const deny = { key: t.owner.token, body: { reason: text } };
    expect((await t.call('POST', `/v1/intents/${intent.id}/deny`, deny)).status).toBe(status);
  }
  const params = { '\u0000': '\u0000' };
  const answer = await t.call('POST', '/v1/intents', { key: agent, body: { ...DEPLOY, params } });
  expect(answer.body).toMatchObject({ status: 'pending', params });
});

describe('POST /v1/intents/:id/withdraw', () => {
  it('denies the intent with the reason “withdrawn”', async () => {
    const answer = await call('POST', `/${await create()}/withdraw`, {}, agent);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...PENDING,
      status: 'denied',
      resolved_at: INSTANT,
      resolved_by: t.agentId,
      reason: 'withdrawn',
    });
  });

  it('refuses callers other than the requester, and resolved intents', async () => {
    const id = await create();
    expectRefusal(await call('POST', `/${id}/withdraw`, {}), 403, 'forbidden', { required: 'requester' });
    const person = await call('POST', `/${id}/withdraw`, {}, t.owner.token);
    expectRefusal(person, 403, 'forbidden', { required: 'intents:create' });
    await call('POST', `/${id}/approve`, {});
    const late = await call('POST', `/${id}/withdraw`, {}, agent);
    expectRefusal(late, 409, 'intent_already_resolved', { status: 'approved' });
  });
});

describe('POST /v1/intents/:id/permit', () => {
  it('issues a new permit to the requester, and the approval can still be used only once', async () => {
    const { id, token } = await approved();
    t.clock.advance(301);
    const fresh = await call('POST', `/${id}/permit`, {}, agent);
    expect(fresh.status).toBe(201);
    expect(fresh.body).toEqual(APPROVED);
    const renewed = (fresh.body.permit as { token: string }).token;
    expect(renewed).not.toBe(token);
    const use = (permit: string) =>
      t.call('POST', '/v1/permits/validate', {
        key: secret,
        body: { token: permit, ...DEPLOY, consume: true },
      });
    expectRefusal(await use(token), 400, 'permit_invalid', { reason: 'expired' });
    expect((await use(renewed)).status).toBe(200);
    const used = await call('POST', `/${id}/permit`, {}, agent);
    expectRefusal(used, 400, 'permit_invalid', { reason: 'already_used' });
  });

  it('refuses pending, denied, revoked and expired intents, and callers other than the requester', async () => {
    const pending = await create();
    expectRefusal(await call('POST', `/${pending}/permit`, {}, agent), 409, 'conflict');
    await call('POST', `/${pending}/deny`, {});
    const denied = await call('POST', `/${pending}/permit`, {}, agent);
    expectRefusal(denied, 409, 'intent_already_resolved', { status: 'denied' });
    const { id } = await approved({ ...DEPLOY, expires_in: 60 });
    expectRefusal(await call('POST', `/${id}/permit`, {}), 403, 'forbidden', { required: 'requester' });
    t.clock.advance(60);
    const late = await call('POST', `/${id}/permit`, {}, agent);
    expectRefusal(late, 410, 'intent_expired', { expired_at: INSTANT });
    const taken = await approved();
    await t.call('POST', '/v1/permits/revoke', { key: secret, body: { intent_id: taken.id } });
    const revoked = await call('POST', `/${taken.id}/permit`, {}, agent);
    expectRefusal(revoked, 400, 'permit_invalid', { reason: 'revoked' });
  });
});

describe('POST /v1/intents/:id/outcome', () => {
  it('stores one outcome, from the credential that consumed the permit', async () => {
    const id = await consumed();
    const answer = await call('POST', `/${id}/outcome`, { outcome: 'succeeded', detail: 'Took 3 s.' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ id, intent_id: id, outcome: 'succeeded', reported_at: INSTANT });
    expect((await call('GET', `/${id}`)).body.outcome).toBe('succeeded');
    expectRefusal(await call('POST', `/${id}/outcome`, { outcome: 'failed' }), 409, 'conflict');
    const [event] = await t.events(t.projectId, 'outcome.reported');
    expect(event?.data).toEqual({ outcome: 'succeeded', detail: 'Took 3 s.' });
  });

  it('refuses other callers, a report before the permit is consumed, and an invalid report', async () => {
    const { id } = await approved();
    expectRefusal(await call('POST', `/${id}/outcome`, { outcome: 'failed' }), 409, 'conflict');
    const used = await consumed();
    const other = await call('POST', `/${used}/outcome`, { outcome: 'failed' }, agent);
    expectRefusal(other, 403, 'forbidden', { required: 'consumer' });
    const person = await call('POST', `/${used}/outcome`, { outcome: 'failed' }, t.owner.token);
    expectRefusal(person, 403, 'forbidden', { required: 'outcomes:report' });
    expectFields(await call('POST', `/${used}/outcome`, {}), 'invalid_request', '/outcome');
    expectFields(await call('POST', `/${used}/outcome`, { outcome: 'fine' }), 'invalid_request', '/outcome');
    expect((await call('GET', `/${used}`)).body.outcome).toBeNull();
  });

  it('stores only one of many simultaneous reports', async () => {
    const id = await consumed();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', `/${id}/outcome`, { outcome: 'succeeded' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)]);
  });
});

it('/v1/v1 works like /v1, for clients whose base address already includes it', async () => {
  const made = await t.call('POST', '/v1/v1/intents', { key: secret, body: DEPLOY });
  expect(made.status).toBe(201);
  const path = `intents/${made.body.id}`;
  expect((await t.call('GET', `/v1/v1/${path}?wait=0`, { key: secret })).body).toEqual(
    (await t.call('GET', `/v1/${path}`, { key: secret })).body,
  );
  expect((await t.call('GET', '/v1/v1/v1/intents/x', { key: secret })).status).toBe(404);
});
