/** Threat 27: an identical request right after its twin was used. Approvers are told, on every door that shows a request. */
import type { JsonObject } from '@permitry/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedIn, signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { type Arena, openArena } from './open-arena.ts';

let t: Arena;
let ann: SignedIn;

beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await signedIn(t.gate, (await t.addPerson('ann@example.org', 'approver')).userId);
});
afterAll(() => t.close());

async function ask(action: string, params: JsonObject): Promise<string> {
  const { status, body } = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action, params },
  });
  expect(status).toBe(201);
  return String(body.id);
}

async function look(id: string): Promise<JsonObject> {
  const { status, body } = await t.call('GET', `/console/intents/${id}`, { headers: ann.headers });
  expect(status).toBe(200);
  return body as JsonObject;
}

async function approve(id: string): Promise<void> {
  const { intent_hash } = await look(id);
  const body = { decision: 'approve', intent_hash };
  const { status } = await t.call('PATCH', `/api/intents/${id}`, { headers: ann.headers, body });
  expect(status).toBe(200);
}

async function use(id: string, action: string, params: JsonObject): Promise<void> {
  const { body } = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
  const { token } = body.permit as { token: string };
  const used = await t.call('POST', '/v1/permits/validate', {
    key: t.first.agent_key,
    body: { token, action, params, consume: true },
  });
  expect(used.body.valid).toBe(true);
}

const PARAMS = { order: 'A-4711', amount: 120.5, notes: { by: 'Ann', n: 1 } };

it('names its twin, also after fifty other approvals of the same action', async () => {
  const first = await ask('payments.refund', PARAMS);
  await approve(first);
  await use(first, 'payments.refund', PARAMS);
  for (let n = 0; n < 50; n += 1) await approve(await ask('payments.refund', { ...PARAMS, amount: n }));
  const twin = await look(await ask('payments.refund', PARAMS));
  expect(twin.approved_lately).toMatchObject({
    id: first,
    approved_at: expect.any(String),
    used_at: expect.any(String),
  });
});

it.each<[string, JsonObject]>([
  ['the members in another order', { notes: { n: 1, by: 'Ann' }, amount: 120.5, order: 'A-1' }],
  ['a number in another spelling', { order: 'A-1', amount: 1205e-1, notes: { by: 'Ann', n: 1.0 } }],
])('%s is the same request', async (_how, spelled) => {
  const first = await ask('orders.cancel', { ...PARAMS, order: 'A-1' });
  await approve(first);
  expect((await look(await ask('orders.cancel', spelled))).approved_lately).toMatchObject({ id: first });
});

it.each<[string, string, JsonObject]>([
  ['one character more', 'mail.send', { ...PARAMS, order: 'A-4711 ' }],
  ['a member more', 'mail.send', { ...PARAMS, extra: null }],
  ['another action', 'mail.draft', PARAMS],
])('%s is another request', async (_what, action, params) => {
  await approve(await ask('mail.send', PARAMS));
  expect((await look(await ask(action, params))).approved_lately).toBeNull();
});

it('a twin that is pending, denied or of another project was not approved', async () => {
  await ask('database.drop', PARAMS);
  const denied = await ask('database.drop', PARAMS);
  await t.call('PATCH', `/api/intents/${denied}`, { headers: ann.headers, body: { decision: 'deny' } });
  const other = await t.addNeighbour('Twins', 'test');
  const body = { action: 'database.drop', params: PARAMS };
  const theirs = await t.call('POST', '/v1/intents', { key: other.agentKey, body });
  expect(theirs.status).toBe(201);
  const approved = await t.call('POST', `/v1/intents/${String(theirs.body.id)}/approve`, {
    key: other.secretKey,
    body: {},
  });
  expect(approved.status).toBe(200);
  expect((await look(await ask('database.drop', PARAMS))).approved_lately).toBeNull();
});
