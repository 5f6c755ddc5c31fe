import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pauseAgent, resumeAgent } from '../../src/gate/agents/agent-status.ts';
import { GateError } from '../../src/gate/kernel/errors.ts';
import { REPEATABLE_ROUTES } from '../../src/http/admission/route-scopes.ts';
import { AnswerOnce, type OnceOnly } from '../../src/http/once/answer-once.ts';
import { sweepAnswers } from '../../src/ops/chores/sweeps.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

const BODY = { action: 'payments.refund', params: { amount: 5 } };

function create(
  idempotencyKey: string,
  {
    body = BODY as unknown,
    key = t.first.agent_key as string | null,
    url = '/v1/intents',
    headers = {} as Record<string, string>,
  } = {},
) {
  return t.call('POST', url, {
    ...(key === null ? {} : { key }),
    body,
    headers: { ...headers, 'idempotency-key': idempotencyKey },
  });
}

async function countIntents(): Promise<number> {
  const page = await t.call('GET', '/api/intents?limit=200', { key: t.first.secret_key });
  return (page.body.intents as unknown[]).length;
}

describe('a repeated request', () => {
  it('is carried out once and gets the same answer', async () => {
    const first = await create('k1');
    const again = await create('k1');
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await countIntents()).toBe(1);
  });

  it('gets the first answer even if the intent was decided in between', async () => {
    const first = await create('k1');
    await t.call('POST', `/v1/intents/${first.body.id}/approve`, { key: t.first.secret_key, body: {} });
    expect((await create('k1')).body).toMatchObject({ id: first.body.id, status: 'pending' });
  });

  it('counts as a new request under another credential, path or key', async () => {
    await create('k1');
    await create('k1', { key: t.first.secret_key });
    await create('k1', { url: '/api/intents', body: { action: 'a', source_type: 'ci' } });
    await create('k2');
    expect(await countIntents()).toBe(4);
  });

  it('is refused with 422 if its body differs, even if only in white space', async () => {
    await create('k1', { body: '{"action":"a"}' });
    const other = await create('k1', { body: '{"action": "a"}' });
    expect(other.status).toBe(422);
    expect(other.body).toMatchObject({ error: { code: 'idempotency_conflict' } });
    expect(await countIntents()).toBe(1);
  });

  it('is carried out once when 50 arrive together, and the others get 409 or the replayed answer', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('race')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    expect(answers.filter((a) => a.status === 201 && !a.headers['idempotency-replayed'])).toHaveLength(1);
    expect(await countIntents()).toBe(1);
  });

  it('is carried out once across two processes: the later change is rolled back', async () => {
    const { read } = t.gate.storage;
    let blind = 2;
    // Both requests read before either of them writes, as can happen with two processes.
    t.reads.findIdempotencyRecord = async (...args) =>
      blind-- > 0 ? undefined : read.findIdempotencyRecord(...args);
    const first = await create('k1');
    const second = await create('k1');
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(await countIntents()).toBe(1);
  });

  it('is remembered for 24 hours, and its record is deleted afterwards', async () => {
    await create('k1');
    t.clock.advance(24 * 60 * 60 - 1);
    expect((await create('k1')).headers['idempotency-replayed']).toBe('true');
    expect(await sweepAnswers(t.gate)).toBe(0);
    t.clock.advance(2);
    expect(await sweepAnswers(t.gate)).toBe(1);
    expect((await create('k1')).headers).not.toHaveProperty('idempotency-replayed');
    expect(await countIntents()).toBe(2);
  });

  it('is refused while its agent is paused, and gets the first answer after the agent resumes', async () => {
    const first = await create('k1');
    await pauseAgent(t.gate, t.operator, { projectId: t.projectId, agentId: t.agentId });
    const paused = await create('k1');
    expect(paused.body).toMatchObject({ error: { code: 'agent_paused' } });
    const refused = await create('k2');
    expect(refused.status).toBe(403);
    await resumeAgent(t.gate, t.operator, { projectId: t.projectId, agentId: t.agentId });
    expect((await create('k1')).body).toEqual(first.body);
    // A temporary refusal was not stored.
    expect((await create('k2')).status).toBe(201);
  });

  it('gets the same refusal if the first one was refused for its content', async () => {
    const body = { action: 'a', approvers: ['nobody@example.org'] };
    const first = await create('k1', { body });
    expect(first.body).toMatchObject({ error: { code: 'approver_not_found' } });
    const again = await create('k1', { body });
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it.each(['', 'x'.repeat(256), 'caf\u00e9', 'a\tb'])('is refused under the invalid key %j', async (key) => {
    expect((await create(key)).status).toBe(400);
    expect(await countIntents()).toBe(0);
  });

  it('does not show a new API key a second time', async () => {
    const url = `/v1/projects/${t.projectId}/keys`;
    const body = { kind: 'verify', name: 'executor' };
    const first = await create('k1', { url, body, key: t.first.secret_key });
    expect(first.body.key).toMatch(/^prm_verify_test_/);
    const again = await create('k1', { url, body, key: t.first.secret_key });
    expect(again.status).toBe(201);
    expect(again.body.id).toBe(first.body.id);
    expect(again.text).not.toContain('prm_verify_');
  });
});

describe('every route that creates or consumes', () => {
  it('checks the idempotency key', async () => {
    const intent = await create('k0');
    const inProject = { id: t.projectId, key: t.first.secret_key };
    const { headers } = await signedIn(t.gate, t.owner.userId);
    /** A signed-in person sends the entries without a key. */
    const calls: Record<string, { id?: string; body: unknown; key?: string }> = {
      'POST /api/intents': { body: { action: 'a', source_type: 'ci' }, key: t.first.agent_key },
      'POST /api/intents/permit/verify': {
        body: { permit_token: 'x', action: 'a', context: {}, consume: true },
        key: t.first.verifier_key,
      },
      'POST /api/mcp-gateway': { body: { tool: 'mail.send' }, key: t.first.agent_key },
      'POST /api/verify/proof': {
        body: { intent_id: 'int_x', decision: 'approve', method: 'passkey' },
      },
      'POST /console/intents/:id/ask-again': { id: String(intent.body.id), body: {} },
      'POST /v1/intents': { body: { action: 'a' }, key: t.first.agent_key },
      'POST /v1/intents/:id/ask-again': { id: String(intent.body.id), body: {}, key: t.first.agent_key },
      'POST /v1/intents/:id/permit': { id: String(intent.body.id), body: {}, key: t.first.agent_key },
      'POST /v1/intents/:id/outcome': {
        id: String(intent.body.id),
        body: { outcome: 'failed' },
        key: t.first.verifier_key,
      },
      'POST /v1/permits/validate': {
        body: { token: 'x', action: 'a', params: {}, consume: true },
        key: t.first.verifier_key,
      },
      'POST /v1/projects/:id/agents': { ...inProject, body: { name: 'second' } },
      'POST /v1/projects/:id/keys': { ...inProject, body: { kind: 'verify', name: 'second' } },
      'POST /v1/projects/:id/groups': { ...inProject, body: { name: 'finance' } },
      'POST /v1/projects/:id/policies/proposals': {
        id: t.projectId,
        key: t.owner.token,
        body: { policy: {} },
      },
      'POST /v1/projects/:id/upstreams': {
        ...inProject,
        body: { name: 'notes', url: 'https://tools.example.com/x' },
      },
      'POST /v1/projects/:id/webhooks': { ...inProject, body: { url: 'https://hooks.example.com/x' } },
      'POST /v1/projects/:id/webhooks/:webhook_id/rotate-secret': { ...inProject, body: {} },
      'POST /v1/projects/:id/webhooks/:webhook_id/test': { ...inProject, body: {} },
      'POST /v1/projects/:id/webhooks/:webhook_id/replay': { ...inProject, body: { after_seq: 0 } },
      'POST /v1/projects/:id/webhooks/:webhook_id/deliveries/:delivery_id/replay': { ...inProject, body: {} },
      'POST /v1/projects/:id/members': { ...inProject, body: { email: 'b@example.org', role: 'viewer' } },
    };
    expect(Object.keys(calls).sort()).toEqual([...REPEATABLE_ROUTES].sort());
    for (const [route, { id = '', body, key = null }] of Object.entries(calls)) {
      const url = (route.split(' ')[1] ?? '').replace(':id', id);
      const answer = await create('x'.repeat(256), { url, body, key, ...(key === null ? { headers } : {}) });
      expect(answer.body, route).toMatchObject({
        error: { message: expect.stringContaining('Idempotency-Key') },
      });
    }
  });
});

describe('AnswerOnce', () => {
  const tables = () => ({ a: t.parts.surfaces.a.errors, b: t.parts.surfaces.b.errors });
  const request = () =>
    ({
      caller: t.agent,
      headers: { 'idempotency-key': 'k' },
      method: 'POST',
      url: '/v1/x',
      id: 'req_x',
      rawBody: null,
    }) as never;
  const reply = { code() {}, header() {} };

  /** An operation that changes something and stores its answer in the same transaction. */
  const changing =
    (gate: typeof t.gate = t.gate): OnceOnly<{ ok: boolean }>['act'] =>
    (_caller, remember) =>
      gate.storage.transaction(async (tx) => {
        await tx.bumpProjectRevision(t.projectId);
        const result = { ok: true };
        await remember?.(tx, result);
        return result;
      });
  const toAnswer = (result: { ok: boolean }) => ({ status: 201, body: result });

  it('refuses to store an answer that contains a secret', async () => {
    const once = new AnswerOnce(t.gate, tables());
    const before = await t.project();
    const answer = once.answer(request(), reply, {
      act: changing(),
      toAnswer: () => ({ status: 201, body: { key: t.first.secret_key } }),
    });
    await expect(answer).rejects.toThrow('holds a secret');
    expect(await t.project()).toEqual(before);
  });

  it('fails when an operation stores no answer, or another one than it returns', async () => {
    const once = new AnswerOnce(t.gate, tables());
    const silent = async () => ({ ok: true });
    await expect(once.answer(request(), reply, { act: silent, toAnswer })).rejects.toThrow(
      'did not remember',
    );
    const other: OnceOnly<{ ok: boolean }>['act'] = async (caller, remember) => ({
      ...(await changing()(caller, remember)),
    });
    await expect(once.answer(request(), reply, { act: other, toAnswer })).rejects.toThrow('did not remember');
  });

  it('stores the answer in the same transaction as the change: both happen or neither does', async () => {
    const { storage } = t.gate;
    let transactions = 0;
    const gate = {
      ...t.gate,
      storage: {
        ...storage,
        transaction: <T>(work: Parameters<typeof storage.transaction<T>>[0]) => {
          transactions += 1;
          return storage.transaction<T>(async (tx) => {
            await work(tx);
            throw new Error('the disk is full');
          });
        },
      },
    };
    const once = new AnswerOnce(gate, tables());
    const before = await t.project();
    const answer = once.answer(request(), reply, { act: changing(gate), toAnswer });
    await expect(answer).rejects.toThrow('the disk is full');
    expect(transactions).toBe(1);
    expect(await t.project()).toEqual(before);
    const carriedOut = await new AnswerOnce(t.gate, tables()).answer(request(), reply, {
      act: changing(),
      toAnswer,
    });
    expect(carriedOut).toEqual({ ok: true });
  });

  it('stores a refusal in the same transaction as the change that comes with it', async () => {
    const once = new AnswerOnce(t.gate, tables());
    const refused = {
      act: changing(),
      toAnswer: (): never => {
        throw new GateError('conflict', 'It was done, and yet.', {});
      },
    };
    const { revision } = await t.project();
    await expect(once.answer(request(), reply, refused)).rejects.toThrow('It was done');
    const codes: number[] = [];
    await once.answer(request(), { ...reply, code: (status) => codes.push(status) }, refused);
    expect(codes).toEqual([409]);
    expect((await t.project()).revision).toBe(revision + 1);
  });

  it('returns the answer of the committed transaction, not of one that was rolled back', async () => {
    const once = new AnswerOnce(t.gate, tables());
    const act: OnceOnly<{ ok: boolean }>['act'] = async (_caller, remember) => {
      const undone = t.gate.storage.transaction(async (tx) => {
        await remember?.(tx, { ok: false });
        throw new Error('overtaken');
      });
      await expect(undone).rejects.toThrow('overtaken');
      return changing()(_caller, remember);
    };
    expect(await once.answer(request(), reply, { act, toAnswer })).toEqual({ ok: true });
    expect(await once.answer(request(), reply, { act, toAnswer })).toEqual({ ok: true });
    const kept = await t.gate.storage.read.findIdempotencyRecord(
      `${t.agent.credentialId} POST /v1/x`,
      'k',
      t.clock.now(),
    );
    expect(kept).toMatchObject({ status: 201, body: { ok: true } });
  });
});
