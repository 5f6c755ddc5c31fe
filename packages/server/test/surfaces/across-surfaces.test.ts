/**
 * One gate, two surfaces: intents created through one surface are read, decided, verified and used through the other.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { expectRefusal } from './expect-refusal.ts';
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

type Body = Record<string, unknown>;

const PARAMS = { amount: 12.5, currency: 'EUR', lines: [{ sku: 'ü-1', count: 3 }], note: null };

/** The same steps in the terms of each surface. */
const SURFACES = {
  A: {
    create: (key: string) =>
      t.call('POST', '/api/intents', {
        key,
        body: { action: 'payments.refund', source_type: 'service', context: PARAMS, risk_tier: 'medium' },
      }),
    read: (id: string, key: string) => t.call('GET', `/api/intents/${id}`, { key }),
    approve: (id: string, key: string) =>
      t.call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'approve' } }),
    deny: (id: string, key: string) =>
      t.call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'deny', reason: 'No.' } }),
    verify: (token: string, key: string, consume = false) =>
      t.call('POST', '/api/intents/permit/verify', {
        key,
        body: { permit_token: token, action: 'payments.refund', context: PARAMS, consume },
      }),
    tokenOf: (body: Body) => String(body.permit_token),
    paramsOf: (body: Body) => body.context,
    code: (code: string) => (code === 'permit_invalid' ? 'INVALID_PERMIT' : code.toUpperCase()),
  },
  B: {
    create: (key: string) =>
      t.call('POST', '/v1/intents', {
        key,
        body: { action: 'payments.refund', source_type: 'service', params: PARAMS, risk_tier: 'medium' },
      }),
    read: (id: string, key: string) => t.call('GET', `/v1/intents/${id}`, { key }),
    approve: (id: string, key: string) => t.call('POST', `/v1/intents/${id}/approve`, { key, body: {} }),
    deny: (id: string, key: string) =>
      t.call('POST', `/v1/intents/${id}/deny`, { key, body: { reason: 'No.' } }),
    verify: (token: string, key: string, consume = false) =>
      t.call('POST', '/v1/permits/validate', {
        key,
        body: { token, action: 'payments.refund', params: PARAMS, consume },
      }),
    tokenOf: (body: Body) => String((body.permit as Body).token),
    paramsOf: (body: Body) => body.params,
    code: (code: string) => code,
  },
};

describe.each([
  ['A', 'B'],
  ['B', 'A'],
] as const)('an intent created on surface %s', (from, to) => {
  it(`can be read, approved, verified and used on surface ${to}`, async () => {
    const { id } = (await SURFACES[from].create(agent)).body as { id: string };
    const read = (await SURFACES[to].read(id, agent)).body;
    expect(read).toMatchObject({ id, status: 'pending', action: 'payments.refund', risk_tier: 'medium' });
    expect(SURFACES[to].paramsOf(read)).toEqual(PARAMS);

    const decided = (await SURFACES[to].approve(id, secret)).body;
    expect(decided).toMatchObject({ status: 'approved', resolved_by: OWNER_EMAIL });
    const back = (await SURFACES[from].read(id, agent)).body;
    expect(SURFACES[from].tokenOf(back)).toBe(SURFACES[to].tokenOf(decided));

    const token = SURFACES[from].tokenOf(back);
    const seen = await Promise.all([SURFACES.A, SURFACES.B].map((surface) => surface.verify(token, secret)));
    expect(seen[0]?.body).toEqual(seen[1]?.body);
    expect((await SURFACES[to].verify(token, secret, true)).body).toMatchObject({
      consumed: true,
      intent_id: id,
    });
    const again = await SURFACES[from].verify(token, secret, true);
    expectRefusal(again, 400, SURFACES[from].code('permit_invalid'), { reason: 'already_used' });
  });

  it(`can be denied on surface ${to}, and then both surfaces refuse another decision`, async () => {
    const { id } = (await SURFACES[from].create(agent)).body as { id: string };
    expect((await SURFACES[to].deny(id, secret)).body).toMatchObject({ status: 'denied', reason: 'No.' });
    expect((await SURFACES[from].read(id, agent)).body).toMatchObject({ status: 'denied', reason: 'No.' });
    for (const surface of [SURFACES.A, SURFACES.B]) {
      const again = await surface.approve(id, secret);
      expectRefusal(again, 409, surface.code('intent_already_resolved'), { status: 'denied' });
    }
  });

  it(`counts each person once when both surfaces receive their approvals at the same moment`, async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const body = { action: 'x', source_type: 'ci', min_approvals: 2 };
    const { id } = (await t.call('POST', '/api/intents', { key: agent, body })).body as { id: string };
    const answers = await Promise.all([
      SURFACES[from].approve(id, ann.token),
      SURFACES[to].approve(id, ann.token),
      SURFACES[from].approve(id, secret),
      SURFACES[to].approve(id, secret),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(2);
    const { approvals } = (await SURFACES.B.read(id, secret)).body as { approvals: { by: string }[] };
    expect(approvals.map(({ by }) => by).toSorted()).toEqual(['ann@example.org', OWNER_EMAIL]);
  });

  it('has the same params_hash as one created on the other surface', async () => {
    const one = (await SURFACES[from].create(agent)).body as { id: string };
    const other = (await SURFACES[to].create(agent)).body as { id: string };
    const hashes = await Promise.all(
      [one.id, other.id].map(async (id) => (await SURFACES.A.read(id, agent)).body.params_hash),
    );
    expect(hashes[0]).toBe(hashes[1]);
  });
});

it('surface A lists intents from both surfaces, and surface B has no list', async () => {
  const made = [
    (await SURFACES.A.create(agent)).body.id,
    (await SURFACES.B.create(agent)).body.id,
    (await SURFACES.B.create(secret)).body.id,
  ];
  const { body } = await t.call('GET', '/api/intents?status=pending', { key: secret });
  expect((body.intents as Body[]).map(({ id }) => id)).toEqual(made.toReversed());
  expectRefusal(await t.call('GET', '/v1/intents', { key: secret }), 404, 'not_found');
});

it('an unknown path gets the “not found” error of its surface', async () => {
  expectRefusal(await t.call('GET', '/api/nothing', { key: secret }), 404, 'NOT_FOUND');
  expectRefusal(await t.call('DELETE', '/api/intents', { key: secret }), 404, 'NOT_FOUND');
  expectRefusal(await t.call('GET', '/v1/nothing', { key: secret }), 404, 'not_found');
  expectRefusal(await t.call('PUT', '/v1/intents', { key: secret }), 404, 'not_found');
});
