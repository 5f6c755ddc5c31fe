/** The management paths of contract §7 on the wire. Other tests cover what the operations allow. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { anId, expectFields, expectRefusal, HASH, INSTANT } from './expect-refusal.ts';
import { openDocumentedApp } from './open-documented-app.ts';

let t: TestApp;
let secret: string;
beforeEach(async () => {
  t = await openDocumentedApp();
  secret = t.first.secret_key;
});
afterEach(async () => {
  await t.close();
});

const NOBODYS = 'prj_00000000000000000000000000';

function call(
  method: string,
  path: string,
  body?: object,
  options: { key?: string; headers?: Record<string, string> } = {},
) {
  return t.call(method, `/v1/projects/${t.projectId}${path}`, {
    key: secret,
    ...(body ? { body } : {}),
    ...options,
  });
}

/** Walks all pages, and calls `add` between them to add a row after each. */
async function walk(path: string, add: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const seen: Record<string, unknown>[] = [];
  let cursor: unknown = null;
  do {
    const joint = path.includes('?') ? '&' : '?';
    const { status, body } = await call(
      'GET',
      `${path}${joint}limit=2${cursor === null ? '' : `&cursor=${String(cursor)}`}`,
    );
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data', 'next_cursor']);
    seen.push(...(body.data as Record<string, unknown>[]));
    cursor = body.next_cursor;
    if (cursor !== null) await add();
  } while (cursor !== null);
  return seen;
}

describe('the project', () => {
  it('is read, stopped and started', async () => {
    const project = {
      id: t.projectId,
      name: 'First',
      mode: 'test',
      stopped: false,
      stopped_at: null,
      policy_second_person: false,
      created_at: INSTANT,
    };
    expect((await call('GET', '')).body).toEqual(project);
    for (let i = 0; i < 2; i++) {
      expect((await call('POST', '/stop')).body).toEqual({ stopped: true, stopped_at: INSTANT });
    }
    expect((await call('GET', '')).body).toEqual({ ...project, stopped: true, stopped_at: INSTANT });
    expect((await call('POST', '/start')).body).toEqual({ stopped: false, stopped_at: null });
    expect(await t.events(t.projectId, 'project.stopped', 'project.started')).toHaveLength(2);
  });

  it('shows the current signing key', async () => {
    const { status, body } = await call('GET', '/public-key', undefined, { key: t.first.verifier_key });
    expect(status).toBe(200);
    expect(body).toEqual({
      kid: t.gate.tokens.signer.current.kid,
      alg: 'ES256',
      public_key_pem: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
      public_key_jwk: t.gate.tokens.signer.publicKey(t.gate.tokens.signer.current.kid),
      jwks_url: 'http://localhost:4000/.well-known/jwks.json',
    });
  });

  it("does not exist for other projects' credentials, on any path", async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/public-key'],
      ['GET', '/audit'],
      ['GET', '/audit/verify'],
      ['GET', '/agents'],
      ['GET', '/keys'],
      ['GET', '/members'],
      ['GET', '/groups'],
      ['GET', '/policies'],
      ['GET', '/policies/versions'],
      ['POST', '/stop'],
      ['POST', '/start'],
    ] as const) {
      const answer = await t.call(method, `/v1/projects/${NOBODYS}${path}`, { key: secret });
      expectRefusal(answer, 404, 'project_not_found');
    }
  });
});

describe('agents', () => {
  const AGENT = {
    id: anId('agt'),
    name: 'refund-bot',
    status: 'active',
    fingerprint: null,
    framework: null,
    labels: {},
    risk_tier: 'low',
    owner_id: expect.stringMatching(/^usr_/),
    keys_end_at: null,
    created_at: INSTANT,
    last_seen_at: null,
  };

  it('are registered, read, changed, paused, resumed and revoked', async () => {
    const more = {
      fingerprint: 'sha256:ab',
      framework: 'langgraph',
      labels: { team: 'pay' },
      risk_tier: 'high',
    };
    const created = await call('POST', '/agents', { name: 'refund-bot', ...more });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ ...AGENT, ...more });
    const path = `/agents/${String(created.body.id)}`;
    expect((await call('GET', path)).body).toEqual(created.body);
    const changed = await call('PATCH', path, { name: 'payments-bot', framework: null, labels: {} });
    expect(changed.body).toEqual({ ...created.body, name: 'payments-bot', framework: null, labels: {} });
    for (const [verb, status] of [
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['resume', 'active'],
      ['revoke', 'revoked'],
      ['revoke', 'revoked'],
    ] as const) {
      const answer = await call('POST', `${path}/${verb}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...changed.body, status });
    }
    expectRefusal(await call('POST', `${path}/resume`), 409, 'conflict');
    expect((await call('GET', path)).body.status).toBe('revoked');
  });

  it('are refused without a name, with a name in use, and with unknown members', async () => {
    expectFields(await call('POST', '/agents', {}), 'invalid_request', '/name');
    expectFields(await call('POST', '/agents', { name: '' }), 'invalid_request', '/name');
    expectFields(
      await call('POST', '/agents', { name: 'x', status: 'active' }),
      'invalid_request',
      '/status',
    );
    expectFields(
      await call('POST', '/agents', { name: 'x', labels: { a: [1] } }),
      'invalid_request',
      '/labels/a',
    );
    expectRefusal(await call('POST', '/agents', { name: 'first-agent' }), 409, 'conflict');
    expectRefusal(await call('GET', '/agents/agt_00000000000000000000000000'), 404, 'not_found');
  });

  it('come in pages that stay stable while more are registered', async () => {
    const register = (name: string) => call('POST', '/agents', { name });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await register(name);
    let more = 0;
    const seen = await walk('/agents', () => register(`later-${++more}`));
    expect(seen.map(({ name }) => name)).toEqual(['e', 'd', 'c', 'b', 'a', 'first-agent']);
  });
});

describe('keys', () => {
  it('are created, shown once, listed without the key itself, and revoked', async () => {
    const created = await call('POST', '/keys', { kind: 'agent', name: 'laptop', agent_id: t.agentId });
    expect(created.status).toBe(201);
    const { key, ...record } = created.body;
    expect(key).toMatch(/^prm_agent_test_[0-9A-Za-z]{49}$/);
    expect(record).toEqual({
      id: anId('key'),
      kind: 'agent',
      name: 'laptop',
      hint: String(key).slice(-4),
      agent_id: t.agentId,
      owner_id: null,
      rate_limit_per_minute: null,
      created_at: INSTANT,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    });
    const { body } = await call('GET', '/keys');
    expect(JSON.stringify(body)).not.toContain(String(key));
    expect((body.data as object[])[0]).toEqual(record);
    const mine = await t.call('POST', '/v1/intents', { key: String(key), body: { action: 'x' } });
    expect(mine.status).toBe(201);
    const revoked = await call('POST', `/keys/${String(record.id)}/revoke`);
    expect(revoked.body).toMatchObject({ id: record.id, revoked_at: INSTANT });
    const after = await t.call('POST', '/v1/intents', { key: String(key), body: { action: 'x' } });
    expectRefusal(after, 401, 'unauthorized');
  });

  it('are refused without kind and name, and agent keys without an agent', async () => {
    expectFields(await call('POST', '/keys', {}), 'invalid_request', '/kind', '/name');
    expectFields(await call('POST', '/keys', { kind: 'agent', name: 'x' }), 'invalid_request', '/agent_id');
    expectFields(await call('POST', '/keys', { kind: 'user', name: 'x' }), 'invalid_request', '/kind');
    const unknown = await call('POST', '/keys/key_00000000000000000000000000/revoke');
    expectRefusal(unknown, 404, 'not_found');
  });

  it('come in pages that stay stable while more are created', async () => {
    const make = (name: string) => call('POST', '/keys', { kind: 'verify', name });
    for (const name of ['a', 'b', 'c']) await make(name);
    const before = ((await call('GET', '/keys?limit=200')).body.data as { id: string }[]).map(({ id }) => id);
    const seen = await walk('/keys', () => make('later'));
    expect(seen.map(({ id }) => id)).toEqual(before);
  });
});

describe('members and groups', () => {
  it('are added, listed, changed and removed', async () => {
    const added = await call('POST', '/members', { email: 'Ann@Example.org', role: 'approver' });
    expect(added.status).toBe(201);
    const { id } = added.body as { id: string };
    expect(added.body).toEqual({
      id: anId('usr'),
      email: expect.stringMatching(/^ann@example\.org$/i),
      role: 'approver',
      created_at: INSTANT,
    });
    const { body } = await call('GET', '/members');
    expect((body.data as { role: string }[]).map(({ role }) => role).toSorted()).toEqual([
      'approver',
      'owner',
    ]);
    const changed = await call('PATCH', `/members/${id}`, { role: 'viewer' });
    expect(changed.body).toEqual({ ...added.body, role: 'viewer' });

    const group = { id: 'finance', name: 'finance', members: [added.body.email], created_at: INSTANT };
    const made = await call('POST', '/groups', { name: 'finance' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ ...group, members: [] });
    expect((await call('PUT', '/groups/finance', { members: [id] })).body).toEqual(group);
    expect((await call('GET', '/groups')).body).toEqual({ data: [group], next_cursor: null });
    expect((await call('DELETE', `/members/${id}`)).body).toEqual(changed.body);
    expect((await call('GET', '/groups')).body.data).toEqual([{ ...group, members: [] }]);
    const gone = await call('DELETE', '/groups/finance');
    expect([gone.status, gone.text]).toEqual([204, '']);
    expectRefusal(await call('DELETE', '/groups/finance'), 404, 'not_found');
  });

  it('are refused when malformed, existing or unknown', async () => {
    expectFields(await call('POST', '/members', {}), 'invalid_request', '/email', '/role');
    expectFields(
      await call('POST', '/members', { email: 'no address', role: 'viewer' }),
      'invalid_request',
      '/email',
    );
    expectFields(
      await call('POST', '/members', { email: 'a@example.org', role: 'king' }),
      'invalid_request',
      '/role',
    );
    expectRefusal(await call('POST', '/members', { email: OWNER_EMAIL, role: 'viewer' }), 409, 'conflict');
    const unknown = '/members/usr_00000000000000000000000000';
    expectRefusal(await call('PATCH', unknown, { role: 'viewer' }), 404, 'not_found');
    expectRefusal(await call('DELETE', unknown), 404, 'not_found');
    expect(
      (await call('PUT', '/groups/finance', { members: ['nobody@example.org'] })).status,
    ).toBeGreaterThan(399);
    expectFields(await call('PUT', '/groups/finance', {}), 'invalid_request', '/members');
    expectFields(await call('POST', '/groups', {}), 'invalid_request', '/name');
  });
});

describe('policies', () => {
  const DOCUMENT = {
    name: 'ours',
    default: { approvers: ['role:approver'], min_approvals: 1 },
    rules: [{ name: 'free', match: { action: 'read.*' }, effect: 'allow' }],
  };

  it('are read with an ETag and replaced if it still matches, and every version is kept', async () => {
    const before = await call('GET', '/policies');
    expect(before.status).toBe(200);
    expect(before.body).toEqual({
      id: before.body.hash,
      version: 1,
      hash: HASH,
      policy: expect.objectContaining({ rules: [] }),
      created_at: INSTANT,
      created_by: expect.any(String),
    });
    expect(before.headers.etag).toBe(`"${String(before.body.hash)}"`);

    const headers = { 'if-match': String(before.headers.etag) };
    const put = await call('PUT', '/policies', DOCUMENT, { headers });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ version: 2, policy: DOCUMENT, warnings: [] });
    expect(put.headers.etag).toBe(`"${String(put.body.hash)}"`);
    const late = await call('PUT', '/policies', { ...DOCUMENT, rules: [] }, { headers });
    expectRefusal(late, 412, 'precondition_failed');
    expect((await call('PUT', '/policies', DOCUMENT)).body.version).toBe(2);

    const { body } = await call('GET', '/policies/versions');
    expect((body.data as { version: number }[]).map(({ version }) => version)).toEqual([2, 1]);
  });

  it('with mistakes are refused with the path of every problem', async () => {
    const wrong = { ...DOCUMENT, rules: [{ name: 'x', match: {}, effect: 'maybe' }], extra: 1 };
    const answer = await call('PUT', '/policies', wrong);
    expectRefusal(answer, 400, 'invalid_request', { fields: expect.any(Array) });
    const { fields } = answer.body.error as { fields: { path: string }[] };
    expect(fields.map(({ path }) => path)).toEqual(expect.arrayContaining(['/extra', '/rules/0/effect']));
    expect((await call('GET', '/policies')).body.version).toBe(1);
  });

  it('come in pages that stay stable while more are published', async () => {
    let number = 0;
    const put = () => call('PUT', '/policies', { ...DOCUMENT, name: `number ${++number}` });
    for (let i = 0; i < 4; i++) await put();
    const seen = await walk('/policies/versions', put);
    expect(seen.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
  });
});

describe('the audit log', () => {
  it('shows every member of a record, combines filters, and reads in either order', async () => {
    const { body: intent } = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'deploy' },
    });
    await t.call('POST', `/v1/intents/${String(intent.id)}/approve`, { key: secret, body: {} });
    const { body } = await call('GET', `/audit?intent_id=${String(intent.id)}&order=asc`);
    const records = body.data as Record<string, unknown>[];
    expect(records.map(({ type }) => type)).toEqual([
      'intent.created',
      'approval.recorded',
      'intent.approved',
      'permit.issued',
    ]);
    for (const [i, record] of records.entries()) {
      expect(record).toMatchObject({
        id: anId('evt'),
        seq: Number(records[0]?.seq) + i,
        occurred_at: INSTANT,
        actor: { type: expect.any(String), id: expect.any(String), display: expect.any(String) },
        intent_id: intent.id,
        event_hash: HASH,
        prev_hash: i === 0 ? HASH : records[i - 1]?.hash,
        hash: HASH,
      });
    }
    const newest = await call(
      'GET',
      `/audit?intent_id=${String(intent.id)}&type=intent.approved&type=permit.issued`,
    );
    expect((newest.body.data as { type: string }[]).map(({ type }) => type)).toEqual([
      'permit.issued',
      'intent.approved',
    ]);
    const listed = await call(
      'GET',
      `/audit?intent_id=${String(intent.id)}&type=intent.approved,permit.issued`,
    );
    expect(listed.body).toEqual(newest.body);
    const byAgent = await call('GET', `/audit?actor=${t.agentId}`);
    expect((byAgent.body.data as { type: string }[]).map(({ type }) => type)).toEqual(['intent.created']);
    const later = await call('GET', `/audit?from=2030-01-01T00:00:00.000Z`);
    expect(later.body).toEqual({ data: [], next_cursor: null });
  });

  it('comes in pages that stay stable while events are added', async () => {
    const stopOrStart = async (n: number) => call('POST', n % 2 ? '/stop' : '/start');
    for (let n = 1; n <= 6; n++) await stopOrStart(n);
    const all = (await call('GET', '/audit?limit=200')).body.data as { seq: number }[];
    let n = 6;
    const seen = await walk('/audit', () => stopOrStart(++n));
    expect(seen.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq));
    const verified = await call('GET', '/audit/verify');
    expect(verified.body).toEqual({
      valid: true,
      count: all.length + n - 6,
      sealed_through: all.length + n - 6,
      unsealed: 0,
      head: {
        seq: all.length + n - 6,
        hash: HASH,
        sealed_at: INSTANT,
        jws: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      },
    });
  });

  it.each([
    'type=everything',
    'order=up',
    'from=yesterday',
    'to=2026-13-01T00:00:00.000Z',
    'limit=500',
    'cursor=x',
    'since=1',
  ])('refuses ?%s', async (query) => {
    const answer = await call('GET', `/audit?${query}`);
    expectRefusal(answer, 400, 'invalid_request', { fields: expect.any(Array) });
    const { fields } = answer.body.error as { fields: { path: string }[] };
    expect(fields[0]?.path).toBe(`/${query.split('=')[0]}`);
  });
});
