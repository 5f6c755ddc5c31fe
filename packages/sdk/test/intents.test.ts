/** Intents and permits through the client, with a real gate. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeniedError, Permitry, PermitryError, WaitTimeoutError } from '../src/index.ts';
import { type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let served: ServedGate;
let agent: Permitry;
let owner: Permitry;
beforeAll(async () => {
  served = await serveGate({
    rules: [
      { name: 'small', match: { action: 'refund' }, when: 'params.amount < 10.0', effect: 'allow' },
      { name: 'never', match: { action: 'drop' }, effect: 'deny', reason: 'Not by an agent.' },
    ],
  });
  agent = new Permitry({ baseUrl: served.url, apiKey: served.first.agent_key });
  owner = new Permitry({ baseUrl: `${served.url}/v1/`, apiKey: served.first.secret_key });
});
afterAll(() => served.close());

const params = { order: 'A-1', amount: 120.5 };

describe('an intent', () => {
  it('is declared, waited for, approved and used once', async () => {
    const created = await agent.intents.create({ action: 'refund', params, metadata: { ticket: 7 } });
    expect(created).toMatchObject({ status: 'pending', action: 'refund', params, metadata: { ticket: 7 } });
    expect(created.approval_url).toBe(`${served.url}/approve/${created.id}`);
    const waiting = agent.intents.wait(created.id);
    await owner.intents.approve(created.id, { comment: 'fine' });
    const approved = await waiting;
    expect(approved.status).toBe('approved');
    const token = approved.permit?.token ?? '';
    const permit = { token, action: 'refund', params };
    expect(await agent.permits.verify(permit)).toMatchObject({ authorizes: true, consumed: false });
    expect(await agent.permits.consume(permit)).toMatchObject({ intent_id: created.id, consumed: true });
    const again = await agent.permits.consume(permit).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(PermitryError);
    expect(again).toMatchObject({ code: 'permit_invalid', status: 400, reason: 'already_used' });
    expect(await agent.intents.reportOutcome(created.id, { outcome: 'succeeded' })).toMatchObject({
      outcome: 'succeeded',
    });
    expect((await agent.intents.get(created.id)).outcome).toBe('succeeded');
  });

  it('is denied with a reason, which the error shows to a model', async () => {
    const { id } = await agent.intents.create({ action: 'refund', params });
    await owner.intents.deny(id, { reason: 'Ask the customer first.' });
    const denied = await agent.intents.wait(id);
    expect(new DeniedError(denied).message).toBe(
      'refund was denied and was not run; the reason given is: Ask the customer first.',
    );
  });

  it('is denied by policy at once, and the error names the rule and the recorded intent', async () => {
    const refused = await agent.intents.create({ action: 'drop' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'policy_violation', status: 403, reason: 'Not by an agent.' });
    const { rule, intent_id } = (refused as PermitryError).body;
    expect(rule).toBe('never');
    expect((await agent.intents.get(String(intent_id))).status).toBe('denied');
  });

  it('is created once however often it is sent under one key', async () => {
    const idempotencyKey = 'order-4711';
    const one = await agent.intents.create({ action: 'refund', params }, { idempotencyKey });
    const two = await agent.intents.create({ action: 'refund', params }, { idempotencyKey });
    expect(two.id).toBe(one.id);
    const other = agent.intents.create({ action: 'refund', params: { amount: 1 } }, { idempotencyKey });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict', status: 422, idempotencyKey });
  });

  it('is part of the error when the wait ends without a decision, and can then be withdrawn', async () => {
    const { id } = await agent.intents.create({ action: 'refund', params });
    const late = await agent.intents.wait(id, { waitMs: 50 }).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(WaitTimeoutError);
    expect((late as WaitTimeoutError).intent).toMatchObject({ id, status: 'pending' });
    await expect(agent.intents.wait(id, { waitMs: 0 })).rejects.toBeInstanceOf(WaitTimeoutError);
    expect(await agent.intents.withdraw(id)).toMatchObject({ status: 'denied', reason: 'withdrawn' });
    await expect(owner.intents.approve(id)).rejects.toMatchObject({ code: 'intent_already_resolved' });
  });

  it('gets a fresh permit, and can be resubmitted after it expired', async () => {
    const { id } = await agent.intents.create({ action: 'refund', params });
    const first = await owner.intents.approve(id);
    const fresh = await agent.intents.freshPermit(id);
    expect(fresh.permit?.token).not.toBe(first.permit?.token);
    const short = await agent.intents.create({ action: 'refund', params, expires_in: 1 });
    expect((await agent.intents.wait(short.id)).status).toBe('expired');
    const again = await agent.intents.askAgain(short.id, { expires_in: 60 });
    expect(again).toMatchObject({ status: 'pending', asked_again_from: short.id });
  });

  it('appears in the list with its parameters, newest first, page by page', async () => {
    const { data, next_cursor } = await agent.intents.list({ limit: 2 });
    expect(data).toHaveLength(2);
    expect(data[0]?.params).toEqual(params);
    expect(data[0]).not.toHaveProperty('context');
    const more = await agent.intents.list({ limit: 2, cursor: next_cursor ?? '' });
    expect(more.data.map(({ id }) => id)).not.toContain(data[0]?.id);
    const pending = await agent.intents.list({ status: 'pending' });
    expect(new Set(pending.data.map(({ status }) => status))).toEqual(new Set(['pending']));
  });
});

describe('a refusal', () => {
  it('names every wrong field', async () => {
    const wrong = { action: 'no spaces', expires_in: 0 };
    const refused = (await agent.intents.create(wrong).catch((error: unknown) => error)) as PermitryError;
    expect(refused).toMatchObject({ code: 'invalid_request', status: 400 });
    expect(refused.fields.map(({ path }) => path).toSorted()).toEqual(['/action', '/expires_in']);
    expect(refused.requestId).toMatch(/^req_/);
  });

  it('says that the key is missing', async () => {
    const nobody = new Permitry({ baseUrl: served.url, apiKey: '' });
    await expect(nobody.intents.list()).rejects.toMatchObject({
      code: 'unauthorized',
      status: 401,
      message: expect.stringContaining('PERMITRY_KEY'),
    });
  });

  it('has the same code on both surfaces', async () => {
    await expect(agent.intents.get('int_nothing')).rejects.toMatchObject({ code: 'intent_not_found' });
    const elsewhere = agent.proofs.start({
      intent_id: 'int_nothing',
      decision: 'approve',
      method: 'passkey',
    });
    await expect(elsewhere).rejects.toMatchObject({ code: 'forbidden', status: 403 });
  });

  it('is not confused with an answer without a body', async () => {
    const hooks = `/v1/projects/${served.first.project_id}/webhooks`;
    const body = { url: 'https://hooks.example.com/x' };
    const { id } = await owner.request<{ id: string }>('POST', hooks, { body });
    expect(await owner.request('DELETE', `${hooks}/${id}`)).toBeNull();
    expect(await owner.request('GET', hooks)).toMatchObject({ data: [] });
  });

  it('is the answer to an ID that would become another path', async () => {
    await expect(agent.intents.get('../projects')).rejects.toMatchObject({ status: 404 });
    await expect(agent.intents.get('..')).rejects.toBeInstanceOf(TypeError);
    await expect(agent.request('GET', '//elsewhere/')).rejects.toBeInstanceOf(TypeError);
    await expect(agent.request('GET', '@elsewhere/')).rejects.toBeInstanceOf(TypeError);
  });
});

it('the error of a reached rate limit says when it ends, by the gate’s own clock', async () => {
  const limited = await serveGate({ config: { rateLimitPerMinute: 2 } });
  const impatient = new Permitry({ baseUrl: limited.url, apiKey: limited.first.agent_key, maxAttempts: 1 });
  let refused: unknown;
  // Calls several times, because the gate counts by the minute and a new minute may begin between two calls.
  for (let call = 0; call < 10 && refused === undefined; call += 1)
    await impatient.intents.create({ action: 'refund' }).catch((error: unknown) => {
      refused = error;
    });
  await limited.close();
  expect(refused).toMatchObject({ code: 'rate_limited', status: 429 });
  const { retryAfterMs } = refused as PermitryError;
  expect(retryAfterMs).toBeGreaterThanOrEqual(100);
  expect(retryAfterMs).toBeLessThanOrEqual(61_000);
});

describe('the client', () => {
  it('revokes by intent, and the permit is then refused with that reason', async () => {
    const small = { amount: 1 };
    const { id, permit } = await agent.intents.create({ action: 'refund', params: small });
    expect(permit?.approved_by).toBe('policy:small');
    expect(await owner.permits.revoke({ intent_id: id, reason: 'test' })).toMatchObject({
      revocation_status: 'revoked',
    });
    const used = agent.permits.consume({ token: permit?.token ?? '', action: 'refund', params: small });
    await expect(used).rejects.toMatchObject({ code: 'permit_invalid', reason: 'revoked' });
  });

  it('reads the whole audit log in order, page by page', async () => {
    const seen: number[] = [];
    for await (const { seq } of owner.audit.all(served.projectId, { order: 'asc', limit: 5 })) seen.push(seq);
    expect(seen.length).toBeGreaterThan(10);
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    const { data } = await owner.audit.list(served.projectId, { type: 'intent.denied', limit: 1 });
    expect(data[0]?.type).toBe('intent.denied');
  });

  it('calls any other route with the same key', async () => {
    const { data } = await owner.request<{ data: { id: string }[] }>(
      'get',
      `/v1/projects/${served.projectId}/agents`,
    );
    expect(data.map(({ id }) => id)).toContain(served.first.agent_id);
  });
});
