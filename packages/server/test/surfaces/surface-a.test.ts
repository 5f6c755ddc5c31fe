import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { anId, aReceipt, expectFields, expectRefusal, HASH, INSTANT, JWS } from './expect-refusal.ts';
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

const REFUND = { action: 'payments.refund', source_type: 'ai_agent', context: { amount: 40, to: 'cus_1' } };

/** The members of the answer to a create in contract §4, and their values before any decision. */
const PENDING = {
  id: anId('int'),
  status: 'pending',
  decision: 'require_approval',
  action: 'payments.refund',
  source: 'first-agent',
  source_type: 'ai_agent',
  risk_tier: 'low',
  context: { amount: 40, to: 'cus_1' },
  proof_tier: 'none',
  params_hash: HASH,
  approval_url: expect.stringMatching(/^http:\/\/localhost:4000\/approve\/int_\w{26}$/),
  approvers: [],
  approvals_required: 1,
  approvals_received: 0,
  approvals: [],
  outcome: null,
  created_at: INSTANT,
  expires_at: INSTANT,
  resolved_at: null,
  resolved_by: null,
  reason: null,
};

const BY_OWNER = { by: OWNER_EMAIL, at: INSTANT, method: 'key' };

const APPROVED = {
  ...PENDING,
  status: 'approved',
  approvals_received: 1,
  approvals: [BY_OWNER],
  resolved_at: INSTANT,
  resolved_by: OWNER_EMAIL,
  permit_token: JWS,
  receipt_v2: aReceipt({ approved_by: OWNER_EMAIL, action: 'payments.refund' }),
};

async function create(key = agent, body: object = REFUND): Promise<string> {
  const answer = await t.call('POST', '/api/intents', { key, body });
  expect(answer.status).toBe(201);
  return String(answer.body.id);
}

function decide(id: string, body: object, key = secret) {
  return t.call('PATCH', `/api/intents/${id}`, { key, body });
}

async function approvedToken(): Promise<string> {
  return String((await decide(await create(), { decision: 'approve' })).body.permit_token);
}

function putRules(...rules: object[]) {
  return t.call('PUT', `/v1/projects/${t.projectId}/policies`, {
    key: secret,
    body: { name: 'test', default: { approvers: ['role:approver'], min_approvals: 1 }, rules },
  });
}

describe('POST /api/intents', () => {
  it('returns the pending intent with all its members and no others', async () => {
    const answer = await t.call('POST', '/api/intents', { key: agent, body: REFUND });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(PENDING);
    expect(String(answer.body.approval_url)).toContain(String(answer.body.id));
    const lifetime = Date.parse(String(answer.body.expires_at)) - Date.parse(String(answer.body.created_at));
    expect(lifetime).toBe(3_600_000);
  });

  it('accepts every member of the interface and of the contract', async () => {
    const body = {
      ...REFUND,
      source: 'billing-bot',
      risk_tier: 'high',
      proof_tier: 'passkey',
      approvers: [OWNER_EMAIL],
      min_approvals: 1,
      expires_in: 120,
    };
    const answer = await t.call('POST', '/api/intents', { key: secret, body });
    expect(answer.body).toEqual({
      ...PENDING,
      source: 'billing-bot',
      risk_tier: 'high',
      proof_tier: 'passkey',
      approvers: [OWNER_EMAIL],
    });
  });

  it('sets empty parameters if context is missing', async () => {
    const body = { action: 'deploy', source_type: 'ci' };
    const answer = await t.call('POST', '/api/intents', { key: secret, body });
    expect(answer.body).toMatchObject({ context: {}, source: null, source_type: 'ci' });
  });

  it('approves at once if the policy allows, with permit and receipt', async () => {
    await putRules({ name: 'small', match: { action: 'payments.refund' }, effect: 'allow' });
    const answer = await t.call('POST', '/api/intents', { key: agent, body: REFUND });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...APPROVED,
      decision: 'auto_approve',
      approvals_required: 0,
      approvals_received: 0,
      approvals: [{ by: 'policy:small', at: INSTANT, method: 'policy' }],
      resolved_by: 'policy:small',
      receipt_v2: aReceipt({ approved_by: 'policy:small' }),
    });
  });

  it('returns 201 with a denied intent if the policy denies', async () => {
    await putRules({
      name: 'never',
      match: { action: 'payments.*' },
      effect: 'deny',
      reason: 'Not by an agent.',
    });
    const answer = await t.call('POST', '/api/intents', { key: agent, body: REFUND });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...PENDING,
      status: 'denied',
      decision: 'auto_deny',
      approvals_required: 0,
      resolved_at: INSTANT,
      resolved_by: 'policy:never',
      reason: 'Not by an agent.',
    });
  });

  it('names all missing members at once', async () => {
    const answer = await t.call('POST', '/api/intents', { key: agent, body: {} });
    expectFields(answer, 'MISSING_FIELDS', '/action', '/source_type');
    expectFields(
      await t.call('POST', '/api/intents', { key: agent }),
      'MISSING_FIELDS',
      '/action',
      '/source_type',
    );
  });

  it.each([
    [{ action: '' }, '/action'],
    [{ action: '-x' }, '/action'],
    [{ action: 'a'.repeat(129) }, '/action'],
    [{ action: 'has space' }, '/action'],
    [{ action: 7 }, '/action'],
    [{ source_type: 'robot' }, '/source_type'],
    [{ source: '' }, '/source'],
    [{ source: 'x'.repeat(201) }, '/source'],
    [{ risk_tier: 'huge' }, '/risk_tier'],
    [{ proof_tier: 'blood' }, '/proof_tier'],
    [{ context: [] }, '/context'],
    [{ context: null }, '/context'],
    [{ expires_in: 0 }, '/expires_in'],
    [{ expires_in: 2_592_001 }, '/expires_in'],
    [{ expires_in: 1.5 }, '/expires_in'],
    [{ expires_in: '60' }, '/expires_in'],
    [{ approvers: [] }, '/approvers'],
    [{ approvers: ['a@example.org', 'a@example.org'] }, '/approvers'],
    [{ approvers: 'role:approver' }, '/approvers'],
    [{ min_approvals: 0 }, '/min_approvals'],
    [{ max_amount: 40 }, '/max_amount'],
    [{ params: {} }, '/params'],
  ])('refuses %j', async (change, path) => {
    const answer = await t.call('POST', '/api/intents', { key: secret, body: { ...REFUND, ...change } });
    expectFields(answer, 'INVALID_FIELDS', path);
    expect((await t.call('GET', '/api/intents', { key: secret })).body.intents).toEqual([]);
  });

  it('refuses unknown approvers and too few approvers', async () => {
    const unknown = await t.call('POST', '/api/intents', {
      key: agent,
      body: { ...REFUND, approvers: ['nobody@example.org'] },
    });
    expectRefusal(unknown, 422, 'APPROVER_NOT_FOUND', { approvers: ['nobody@example.org'] });
    const few = await t.call('POST', '/api/intents', { key: agent, body: { ...REFUND, min_approvals: 2 } });
    expectRefusal(few, 422, 'APPROVER_NOT_FOUND', { approvers: [] });
    // Both refusals have the same sentence, so that it reveals nothing about the policy's approvers.
    const { message } = (unknown.body as { error: { message: string } }).error;
    expect(few.body).toMatchObject({ error: { message } });
    expect(message).toContain('a name is unknown, policy accepts none of them, or they are too few');
  });

  it('refuses another source from an agent, a paused or revoked agent, and everyone while the project is stopped', async () => {
    const elsewhere = await t.call('POST', '/api/intents', {
      key: agent,
      body: { ...REFUND, source: 'other' },
    });
    expectRefusal(elsewhere, 403, 'FORBIDDEN', { required: 'source' });
    const of = `/v1/projects/${t.projectId}`;
    await t.call('POST', `${of}/agents/${t.agentId}/pause`, { key: secret });
    expectRefusal(await t.call('POST', '/api/intents', { key: agent, body: REFUND }), 403, 'AGENT_PAUSED');
    const named = { ...REFUND, source: 'first-agent' };
    expectRefusal(await t.call('POST', '/api/intents', { key: secret, body: named }), 403, 'AGENT_PAUSED');
    await t.call('POST', `${of}/stop`, { key: secret });
    expectRefusal(
      await t.call('POST', '/api/intents', { key: secret, body: REFUND }),
      403,
      'PROJECT_STOPPED',
    );
    await t.call('POST', `${of}/start`, { key: secret });
    await t.call('POST', `${of}/agents/${t.agentId}/revoke`, { key: secret });
    expectRefusal(await t.call('POST', '/api/intents', { key: agent, body: REFUND }), 403, 'AGENT_REVOKED');
    expectRefusal(await t.call('POST', '/api/intents', { key: secret, body: named }), 403, 'AGENT_REVOKED');
  });

  it('refuses people, executors and callers without a key', async () => {
    for (const key of [t.owner.token, t.first.verifier_key]) {
      const answer = await t.call('POST', '/api/intents', { key, body: REFUND });
      expectRefusal(answer, 403, 'FORBIDDEN', { required: 'intents:create' });
    }
    expectRefusal(await t.call('POST', '/api/intents', { body: REFUND }), 401, 'UNAUTHORIZED');
  });
});

describe('GET /api/intents/:id', () => {
  it('shows the intent to its agent, the project and people, but the permit only to the agent and the project', async () => {
    const id = await create();
    expect((await t.call('GET', `/api/intents/${id}`, { key: agent })).body).toEqual(PENDING);
    await decide(id, { decision: 'approve' });
    for (const key of [agent, secret]) {
      expect((await t.call('GET', `/api/intents/${id}`, { key })).body).toEqual(APPROVED);
    }
    const { permit_token: _secret, ...shown } = APPROVED;
    expect((await t.call('GET', `/api/intents/${id}`, { key: t.owner.token })).body).toEqual(shown);
  });

  it('returns the same 404 for an unknown intent and for another agent’s', async () => {
    const id = await create();
    const other = await t.addAgent({ name: 'other-agent' });
    const unknown = await t.call('GET', '/api/intents/int_00000000000000000000000000', { key: secret });
    const unseen = await t.call('GET', `/api/intents/${id}`, { key: other.key });
    const odd = await t.call('GET', '/api/intents/%00', { key: secret });
    for (const answer of [unknown, unseen, odd]) expectRefusal(answer, 404, 'INTENT_NOT_FOUND');
    const said = [unknown, unseen].map(({ body }) => (body.error as { message: string }).message);
    expect(said[0]).toBe(said[1]);
  });
});

describe('GET /api/intents', () => {
  it('lists the intents that the caller may see, by status, newest first, never with a permit', async () => {
    const mine = await create();
    const others = await create(secret);
    const denied = await create();
    await decide(mine, { decision: 'approve' });
    await decide(denied, { decision: 'deny' });
    const listed = async (query: string, key: string) => {
      const { status, body } = await t.call('GET', `/api/intents${query}`, { key });
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['intents', 'next_cursor']);
      expect(JSON.stringify(body)).not.toMatch(/permit_token|receipt_v2|eyJ/);
      return (body.intents as { id: string }[]).map((intent) => intent.id);
    };
    expect(await listed('', secret)).toEqual([denied, others, mine]);
    expect(await listed('', t.owner.token)).toEqual([denied, others, mine]);
    expect(await listed('', agent)).toEqual([denied, mine]);
    expect(await listed('?status=pending', secret)).toEqual([others]);
    expect(await listed('?status=resolved', secret)).toEqual([denied, mine]);
    expect(await listed('?status=approved', secret)).toEqual([mine]);
    expect(await listed('?status=denied', agent)).toEqual([denied]);
    expect(await listed('?status=expired', secret)).toEqual([]);
  });

  it('pages without missing or repeating an intent while others are added', async () => {
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.push(await create());
    const seen: string[] = [];
    let cursor: unknown = null;
    do {
      const query = cursor === null ? '' : `&cursor=${String(cursor)}`;
      const { body } = await t.call('GET', `/api/intents?limit=2${query}`, { key: agent });
      seen.push(...(body.intents as { id: string }[]).map(({ id }) => id));
      cursor = body.next_cursor;
      // Newer intents come before the first page, never in a later one.
      await create();
    } while (cursor !== null);
    expect(seen).toEqual(made.toReversed());
  });

  it.each(['status=open', 'limit=0', 'limit=201', 'limit=2.0', 'limit=x', 'cursor=x', 'cursor=', 'page=2'])(
    'refuses ?%s',
    async (query) => {
      const answer = await t.call('GET', `/api/intents?${query}`, { key: secret });
      expectFields(answer, 'INVALID_FIELDS', `/${query.split('=')[0]}`);
    },
  );
});

describe('PATCH /api/intents/:id', () => {
  it('approves, and returns the intent with the permit for callers who may have it', async () => {
    expect((await decide(await create(), { decision: 'approve' })).body).toEqual(APPROVED);
    const answer = await decide(await create(), { decision: 'approve' }, t.owner.token);
    const { permit_token: _secret, ...shown } = APPROVED;
    expect(answer.body).toEqual({ ...shown, approvals: [{ ...BY_OWNER, method: 'token' }] });
  });

  it('denies with or without a reason', async () => {
    const denied = { ...PENDING, status: 'denied', resolved_at: INSTANT, resolved_by: OWNER_EMAIL };
    const why = await decide(await create(), { decision: 'deny', reason: 'Too much.' });
    expect(why.body).toEqual({ ...denied, reason: 'Too much.' });
    expect((await decide(await create(), { decision: 'deny' })).body).toEqual(denied);
  });

  it('leaves the intent pending while the quorum is incomplete', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await create(agent, { ...REFUND, min_approvals: 2 });
    const first = await decide(id, { decision: 'approve' });
    expect(first.body).toEqual({
      ...PENDING,
      approvals_required: 2,
      approvals_received: 1,
      approvals: [BY_OWNER],
    });
    expectRefusal(await decide(id, { decision: 'approve' }, t.owner.token), 409, 'ALREADY_VOTED');
    const last = await decide(id, { decision: 'approve' }, ann.token);
    expect(last.body).toMatchObject({
      status: 'approved',
      resolved_by: 'ann@example.org',
      approvals_received: 2,
    });
  });

  it('refuses a second decision of either kind, and changes nothing', async () => {
    for (const decision of ['approve', 'deny']) {
      const id = await create();
      const { body } = await decide(id, { decision });
      for (const again of ['approve', 'deny']) {
        const status = decision === 'approve' ? 'approved' : 'denied';
        expectRefusal(await decide(id, { decision: again }), 409, 'INTENT_ALREADY_RESOLVED', { status });
      }
      expect((await t.call('GET', `/api/intents/${id}`, { key: secret })).body).toEqual(body);
    }
  });

  it.each([
    [{}, 'MISSING_FIELDS', '/decision'],
    [{ decision: 'approved' }, 'INVALID_FIELDS', '/decision'],
    [{ decision: 'approve', reason: 'x'.repeat(2001) }, 'INVALID_FIELDS', '/reason'],
    [{ decision: 'approve', approver: 'ann@example.org' }, 'INVALID_FIELDS', '/approver'],
    [{ decision: 'approve', status: 'approved' }, 'INVALID_FIELDS', '/status'],
  ])('refuses %j', async (body, code, path) => {
    const id = await create();
    expectFields(await decide(id, body), code, path);
    expect((await t.call('GET', `/api/intents/${id}`, { key: secret })).body.status).toBe('pending');
  });

  it('refuses callers who may not decide, and records each refusal once, with the intent', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const eve = await t.addPerson('eve@example.org', 'viewer');
    const id = await create(agent, { ...REFUND, approvers: [OWNER_EMAIL] });
    const refused = await decide(id, { decision: 'approve' }, ann.token);
    expectRefusal(refused, 403, 'FORBIDDEN', { required: OWNER_EMAIL });
    for (const key of [agent, eve.token, t.first.verifier_key]) {
      const answer = await decide(id, { decision: 'approve' }, key);
      expectRefusal(answer, 403, 'FORBIDDEN', { required: 'intents:decide' });
    }
    const events = await t.events(t.projectId, 'access.refused');
    expect(events.map(({ actor, data }) => [actor.id, data.route])).toEqual(
      [ann.userId, t.agentId, eve.userId, t.verifier.credentialId].map((by) => [
        by,
        'PATCH /api/intents/:id',
      ]),
    );
    // The verifier key cannot read intents, but it belongs to the same project.
    expect(events.map(({ intentId }) => intentId)).toEqual([id, id, id, id]);
  });

  it('refuses an approval by key if the intent requires a device proof, but accepts a denial', async () => {
    const id = await create(agent, { ...REFUND, proof_tier: 'device' });
    expectRefusal(await decide(id, { decision: 'approve' }), 403, 'PROOF_REQUIRED', {
      proof_tier: 'device',
      methods: ['device', 'passkey'],
    });
    expect((await decide(id, { decision: 'deny' })).body.status).toBe('denied');
  });

  it('denies the intent by policy if the policy now denies', async () => {
    const id = await create();
    await putRules({
      name: 'never',
      match: { action: 'payments.*' },
      effect: 'deny',
      reason: 'Not any more.',
    });
    expectRefusal(await decide(id, { decision: 'approve' }), 403, 'POLICY_VIOLATION', {
      rule: 'never',
      reason: 'Not any more.',
      intent_id: id,
    });
    const { body } = await t.call('GET', `/api/intents/${id}`, { key: secret });
    expect(body).toMatchObject({ status: 'denied', resolved_by: 'policy:never', reason: 'Not any more.' });
  });

  it('accepts only one of many simultaneous decisions and refuses the others', async () => {
    const id = await create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => decide(id, { decision: n % 2 ? 'approve' : 'deny' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });
});

describe('POST /api/intents/permit/verify', () => {
  const BOUND = { action: 'payments.refund', context: { amount: 40, to: 'cus_1' } };
  const VERIFIED = {
    valid: true,
    bound: true,
    authorizes: true,
    consumed: false,
    intent_id: anId('int'),
    action: 'payments.refund',
    params_hash: HASH,
    policy_hash: HASH,
    proof_tier: 'none',
    approved_by: OWNER_EMAIL,
    approved_at: INSTANT,
    expires_at: INSTANT,
    mode: 'test',
    receipt_v2: aReceipt(),
  };

  function verify(body: object, key = secret) {
    return t.call('POST', '/api/intents/permit/verify', { key, body });
  }

  it('answers the agent, the project and executors with what the permit authorises', async () => {
    const permit_token = await approvedToken();
    for (const key of [agent, secret, t.first.verifier_key]) {
      const answer = await verify({ permit_token, ...BOUND }, key);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(VERIFIED);
    }
  });

  it('authorises nothing without the action or the parameters', async () => {
    const permit_token = await approvedToken();
    for (const part of [{}, { action: BOUND.action }, { context: BOUND.context }]) {
      const answer = await verify({ permit_token, ...part });
      expect(answer.body).toEqual({ ...VERIFIED, bound: false, authorizes: false });
    }
  });

  it('consumes a permit only once', async () => {
    const permit_token = await approvedToken();
    const used = await verify({ permit_token, ...BOUND, consume: true }, t.first.verifier_key);
    expect(used.body).toEqual({ ...VERIFIED, consumed: true });
    for (const consume of [true, false]) {
      const again = await verify({ permit_token, ...BOUND, consume });
      expectRefusal(again, 400, 'INVALID_PERMIT', { reason: 'already_used' });
    }
  });

  it('verifies a receipt, whole or only its jws, but a receipt never authorises anything', async () => {
    const { body } = await decide(await create(), { decision: 'approve' });
    const receipt = body.receipt_v2 as { jws: string };
    for (const form of [receipt, receipt.jws]) {
      const answer = await verify({ receipt: form, ...BOUND });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...VERIFIED, authorizes: false, receipt_v2: receipt });
    }
    const altered = await verify({ receipt: { ...receipt, action: 'payments.payout' } });
    expectRefusal(altered, 400, 'INVALID_PERMIT', { reason: 'tampered' });
    const token = await verify({ receipt: body.permit_token });
    expectRefusal(token, 400, 'INVALID_PERMIT', { reason: 'malformed' });
  });

  it.each([
    ['action_mismatch', { action: 'payments.payout' }],
    ['params_mismatch', { context: { amount: 4000, to: 'cus_1' } }],
    ['params_mismatch', { context: {} }],
    ['malformed', { permit_token: 'a.b' }],
    ['malformed', { permit_token: '' }],
  ])('refuses with the reason %s', async (reason, change) => {
    const permit_token = await approvedToken();
    const answer = await verify({ permit_token, ...BOUND, ...change });
    expectRefusal(answer, 400, 'INVALID_PERMIT', { reason });
  });

  it('refuses an expired permit, and any permit while the agent is paused or the project stopped', async () => {
    const permit_token = await approvedToken();
    const of = `/v1/projects/${t.projectId}`;
    const refused = async (reason: string) =>
      expectRefusal(await verify({ permit_token, ...BOUND }), 400, 'INVALID_PERMIT', { reason });
    await t.call('POST', `${of}/stop`, { key: secret });
    await refused('project_stopped');
    await t.call('POST', `${of}/start`, { key: secret });
    await t.call('POST', `${of}/agents/${t.agentId}/pause`, { key: secret });
    await refused('agent_paused');
    await t.call('POST', `${of}/agents/${t.agentId}/resume`, { key: secret });
    expect((await verify({ permit_token, ...BOUND })).status).toBe(200);
    t.clock.advance(300);
    await refused('expired');
  });

  it.each([
    [{}, 'MISSING_FIELDS', ['/permit_token']],
    [{ permit_token: 'x', receipt: 'x' }, 'INVALID_FIELDS', ['/receipt']],
    [{ receipt: 'x', consume: true, ...BOUND }, 'INVALID_FIELDS', ['/receipt']],
    [{ permit_token: 'x', consume: true }, 'MISSING_FIELDS', ['/action', '/context']],
    [{ permit_token: 7 }, 'INVALID_FIELDS', ['/permit_token']],
    [{ permit_token: 'x', params: {} }, 'INVALID_FIELDS', ['/params']],
    [{ permit_token: 'x', consume: 'true' }, 'INVALID_FIELDS', ['/consume']],
  ])('refuses %j', async (body, code, paths) => {
    expectFields(await verify(body), code, ...paths);
  });
});
