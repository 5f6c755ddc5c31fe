/** Shadow policies are evaluated for every new intent, and have no effect on it. */
import type { JsonObject } from '@permitry/protocol';
import { hashJson } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { ShadowWatch } from '../../src/gate/policy-management/shadow/shadow-watch.ts';
import type { Transaction } from '../../src/storage/nouns.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal, HASH, INSTANT } from '../surfaces/expect-refusal.ts';
import { count, sentence } from './naive-simulation.ts';
import { DRAFT, IN_FORCE } from './open-simulation.ts';

let t: TestApp;
let path: string;
beforeEach(async () => {
  t = await openTestApp({ logLevel: 'silent' });
  path = `/v1/projects/${t.projectId}/policies/shadow`;
  const put = { key: t.owner.token, body: IN_FORCE };
  expect((await t.call('PUT', `/v1/projects/${t.projectId}/policies`, put)).status).toBe(200);
});
afterEach(() => t.close());

const put = (document: JsonObject = DRAFT, headers: Record<string, string> = {}, key = t.owner.token) =>
  t.call('PUT', path, { key, body: document, headers });
const read = (key = t.owner.token) => t.call('GET', path, { key });
const remove = (headers: Record<string, string> = {}, key = t.owner.token) =>
  t.call('DELETE', path, { key, headers });
const divergences = async (query = '') => {
  await t.shadows.settle();
  return t.call('GET', `${path}/divergences${query}`, { key: t.owner.token });
};
const refund = (amount?: number) =>
  t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action: 'payments.refund', params: amount === undefined ? {} : { amount } },
  });

describe('setting a shadow policy', () => {
  test('makes it readable, and the audit log records it separately from the policy', async () => {
    const set = await put();
    expect(set.status).toBe(200);
    const shadow = {
      id: hashJson(DRAFT),
      hash: hashJson(DRAFT),
      policy: DRAFT,
      since: INSTANT,
      created_by: t.owner.email,
      evaluated: 0,
      diverged: 0,
    };
    expect(set.body).toEqual({
      ...shadow,
      warnings: [expect.objectContaining({ path: '/rules/1/require/0' })],
    });
    expect(set.headers.etag).toBe(`"${hashJson(DRAFT)}"`);
    const found = await read();
    expect(found.body).toEqual(shadow);
    expect(found.headers.etag).toBe(set.headers.etag);
    const [event, ...others] = await t.events(t.projectId, 'shadow.updated');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      actor: { type: 'user', id: t.owner.userId },
      data: { hash: hashJson(DRAFT), previous_hash: null },
    });
    expect(await t.events(t.projectId, 'policy.updated')).toHaveLength(1);
    const policy = await t.call('GET', `/v1/projects/${t.projectId}/policies`, { key: t.owner.token });
    expect(policy.body).toMatchObject({ version: 2, policy: IN_FORCE });
  });

  test('changes nothing for the same document, and starts again for another', async () => {
    await put();
    await refund(75);
    await t.shadows.settle();
    expect((await put()).body).toMatchObject({ evaluated: 1, diverged: 1 });
    expect(await t.events(t.projectId, 'shadow.updated')).toHaveLength(1);
    const other = { ...DRAFT, name: 'another' };
    expect((await put(other)).body).toMatchObject({ evaluated: 0, diverged: 0 });
    expect((await divergences()).body).toMatchObject({ evaluated: 0, groups: [], data: [] });
    const [, second] = await t.events(t.projectId, 'shadow.updated');
    expect(second?.data).toEqual({ hash: hashJson(other), previous_hash: hashJson(DRAFT) });
  });

  test('can be undone, which deletes the findings', async () => {
    await put();
    await refund(75);
    await t.shadows.settle();
    const removed = await remove();
    expect([removed.status, removed.text]).toEqual([204, '']);
    for (const answer of [await read(), await divergences(), await remove()]) {
      expectRefusal(answer, 404, 'not_found');
    }
    expect(await t.events(t.projectId, 'shadow.removed')).toMatchObject([
      { data: { hash: hashJson(DRAFT) } },
    ]);
    await refund(75);
    await t.shadows.settle();
    await put();
    expect((await divergences()).body).toMatchObject({ evaluated: 0, diverged: 0, groups: [], data: [] });
  });

  test('is refused for a change based on an outdated shadow policy', async () => {
    const ours = { 'if-match': `"${hashJson(DRAFT)}"` };
    expectRefusal(await put(DRAFT, ours), 412, 'precondition_failed');
    await put();
    expect((await put({ ...DRAFT, name: 'another' }, ours)).status).toBe(200);
    expectRefusal(await put(DRAFT, ours), 412, 'precondition_failed');
    expectRefusal(await remove(ours), 412, 'precondition_failed');
    expect((await read()).body).toMatchObject({ policy: { name: 'another' } });
  });

  test('is refused for a document with mistakes or unknown names, and changes nothing', async () => {
    expectFields(
      await put({ ...DRAFT, rules: [{ name: 'x', when: 'parms.a', effect: 'deny' }] }),
      'invalid_request',
      '/rules/0/when',
    );
    const unknown = await put({ ...DRAFT, default: { approvers: ['treasury'] } });
    expectRefusal(unknown, 422, 'approver_not_found', { approvers: ['treasury'] });
    expectRefusal(await read(), 404, 'not_found');
    expect(await t.events(t.projectId, 'shadow.updated')).toEqual([]);
  });
});

test('in live mode only a person who is present sets or removes a shadow policy; programs may read it', async () => {
  const live = await openTestApp({ mode: 'live', logLevel: 'silent' });
  const url = `/v1/projects/${live.projectId}/policies/shadow`;
  const service = { key: live.first.secret_key };
  const required = { required: 'policies:write' };
  const programs = [service, { key: live.owner.token }];
  for (const program of programs) {
    expectRefusal(await live.call('PUT', url, { ...program, body: DRAFT }), 403, 'forbidden', required);
  }
  expect((await live.call('PUT', url, { present: live.owner, body: DRAFT })).status).toBe(200);
  for (const program of programs) {
    expectRefusal(await live.call('DELETE', url, program), 403, 'forbidden', required);
    expect((await live.call('GET', url, program)).status).toBe(200);
    expect((await live.call('GET', `${url}/divergences`, program)).status).toBe(200);
  }
  const agent = { key: live.first.agent_key };
  expectRefusal(await live.call('GET', url, agent), 403, 'forbidden', { required: 'policies:read' });
  await live.close();
});

describe('a shadow policy', () => {
  test('has its differences counted by rule and change, and listed newest first, page by page', async () => {
    await put();
    const ids: unknown[] = [];
    for (const amount of [10, 75, 500, undefined, 80]) {
      ids.push((await refund(amount)).body.id);
      t.clock.advance(1);
    }
    const { status, body } = await divergences('?limit=2');
    expect(status).toBe(200);
    expect(body).toMatchObject({ hash: HASH, since: INSTANT, evaluated: 5, diverged: 4 });
    const groups = body.groups as {
      in_force: object;
      shadow: object;
      direction: string;
      terms: string[];
      count: number;
    }[];
    expect(
      Object.fromEntries(
        groups.map((group) => [
          sentence(group.in_force as never, group.shadow as never, group.direction, group.terms),
          group.count,
        ]),
      ),
    ).toEqual(
      count([
        ...Array(2).fill('allow by small refunds -> require_approval by big refunds: stricter '),
        ...Array(2).fill('require_approval by null -> require_approval by big refunds: stricter requirement'),
      ]),
    );
    expect(body.failures).toEqual(
      expect.arrayContaining([
        { rule: 'tiny refunds', count: 1 },
        { rule: 'big refunds', count: 1 },
      ]),
    );
    const next = await divergences(`?limit=2&cursor=${body.next_cursor}`);
    const data = [...(body.data as object[]), ...(next.body.data as object[])] as { intent_id: string }[];
    expect(data.map(({ intent_id }) => intent_id)).toEqual([ids[4], ids[3], ids[2], ids[1]]);
    expect(next.body.next_cursor).toBeNull();
    expect(data[0]).toEqual({
      intent_id: ids[4],
      at: '2026-11-20T12:00:04.000Z',
      in_force: { effect: 'allow', rule: 'small refunds' },
      shadow: { effect: 'require_approval', rule: 'big refunds' },
      direction: 'stricter',
      terms: [],
    });
    expectFields(await divergences('?cursor=x'), 'invalid_request', '/cursor');
    expect(t.shadows.counts).toMatchObject({ evaluated: 5, diverged: 4, missed: 0, failed: 0 });
  });

  test('has no effect: intents, permits and events are those of a gate without it', async () => {
    const denying = {
      ...IN_FORCE,
      rules: [{ name: 'nothing goes', match: { action: '*' }, effect: 'deny' }],
    };
    const without = await refund(10);
    await put(denying);
    const beside = await refund(10);
    await t.shadows.settle();
    expect(beside.status).toBe(201);
    const shape = ({ id: _id, permit: _permit, approval_url: _url, ...body }: Record<string, unknown>) =>
      body;
    expect(shape(beside.body)).toEqual(shape(without.body));
    expect(beside.body).toMatchObject({ status: 'approved', permit: { token: expect.any(String) } });
    const valid = await t.call('POST', '/v1/permits/validate', {
      key: t.first.verifier_key,
      body: {
        token: (beside.body.permit as { token: string }).token,
        action: 'payments.refund',
        params: { amount: 10 },
        consume: true,
      },
    });
    expect(valid.body).toMatchObject({ authorizes: true, consumed: true });
    const stories = await Promise.all(
      [without, beside].map(async ({ body }) =>
        (await t.events(t.projectId)).filter(({ intentId }) => intentId === body.id).map(({ type }) => type),
      ),
    );
    expect(stories[1]?.slice(0, 3)).toEqual(stories[0]);
    expect(JSON.stringify(await t.events(t.projectId))).not.toContain('nothing goes');
    expect((await divergences()).body).toMatchObject({
      diverged: 1,
      data: [{ intent_id: beside.body.id, shadow: { effect: 'deny', rule: 'nothing goes' } }],
    });
  });

  test('is not evaluated for a request that is refused before an intent exists', async () => {
    await put();
    const nobody = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'a', approvers: ['nobody'] },
    });
    expect(nobody.status).toBe(422);
    expect((await divergences()).body).toMatchObject({ evaluated: 0 });
  });

  test('is evaluated once for requests that repeat an Idempotency-Key', async () => {
    await put();
    for (let round = 0; round < 3; round++) {
      const { status } = await t.call('POST', '/v1/intents', {
        key: t.first.agent_key,
        body: { action: 'payments.refund', params: { amount: 75 } },
        headers: { 'idempotency-key': 'once' },
      });
      expect(status).toBe(201);
    }
    expect((await divergences()).body).toMatchObject({ evaluated: 1, diverged: 1 });
  });

  test('is compared with the new policy once that is published', async () => {
    await t.addPerson('second@example.org', 'approver');
    await put();
    await refund(75);
    await t.call('PUT', `/v1/projects/${t.projectId}/policies`, { key: t.owner.token, body: DRAFT });
    await refund(75);
    expect((await divergences()).body).toMatchObject({ evaluated: 2, diverged: 1 });
  });

  test('counts all intents of a burst, and lists the latest', async () => {
    await put();
    const made = await Promise.all(
      Array.from({ length: 150 }, () =>
        submitIntent(t.gate, t.agent, { action: 'payments.refund', params: { amount: 75 } }),
      ),
    );
    const { body } = await divergences('?limit=200');
    expect(body).toMatchObject({ evaluated: 150, diverged: 150, groups: [{ count: 150 }] });
    const listed = (body.data as { intent_id: string }[]).map(({ intent_id }) => intent_id);
    expect(listed.length).toBeGreaterThanOrEqual(100);
    expect(listed.length).toBeLessThanOrEqual(150);
    const ids = made.map(({ intent }) => intent.id);
    expect(listed.every((id) => ids.includes(id))).toBe(true);
  });

  test('has its findings stored when the gate closes', async () => {
    await put();
    await refund(75);
    await t.shadows.close();
    expect(await t.gate.storage.read.findShadow(t.projectId)).toMatchObject({ evaluated: 1, diverged: 1 });
  });
});

describe('evaluating shadow policies', () => {
  /** A gate whose shadow reads or writes fail, with the failures it reported. */
  function failing(what: 'findShadow' | 'addShadowFindings') {
    const told: string[] = [];
    const storage = {
      ...t.gate.storage,
      read: new Proxy(t.gate.storage.read, {
        get: (target, name) =>
          name === what
            ? () => Promise.reject(new Error('away'))
            : (Reflect.get(target, name) as () => unknown).bind(target),
      }),
      transaction: <T>(work: (tx: Transaction) => Promise<T>) =>
        what === 'addShadowFindings' ? Promise.reject(new Error('full')) : t.gate.storage.transaction(work),
    };
    const shadows = new ShadowWatch(storage, { onError: (_error, saying) => told.push(saying) });
    return { gate: { ...t.gate, listeners: { ...t.gate.listeners, shadows } }, shadows, told };
  }

  test.each([
    ['findShadow', 'a shadow policy could not be asked', { failed: 1, missed: 0 }],
    ['addShadowFindings', 'what a shadow policy found could not be written down', { failed: 0, missed: 1 }],
  ] as const)(
    'does not affect the intent when %s fails, and reports the failure',
    async (what, saying, counts) => {
      await put();
      const { gate, shadows, told } = failing(what);
      const { intent } = await submitIntent(gate, t.agent, {
        action: 'payments.refund',
        params: { amount: 75 },
      });
      expect(intent.status).toBe('approved');
      await shadows.settle();
      expect(told).toEqual([saying]);
      expect(shadows.counts).toMatchObject(counts);
      // The watch continues: it evaluates the next intent.
      await submitIntent(gate, t.agent, { action: 'payments.refund', params: { amount: 75 } });
      await shadows.settle();
      expect(told).toHaveLength(2);
    },
  );

  test('reads only once that a project has none', async () => {
    let polls = 0;
    const read = new Proxy(t.gate.storage.read, {
      get: (target, name) => {
        if (name === 'findShadow') polls += 1;
        return (Reflect.get(target, name) as () => unknown).bind(target);
      },
    });
    const shadows = new ShadowWatch({ ...t.gate.storage, read }, { onError: () => undefined });
    const gate = { ...t.gate, listeners: { ...t.gate.listeners, shadows } };
    for (let round = 0; round < 5; round++) {
      await submitIntent(gate, t.agent, { action: 'mail.send', params: {} });
      await shadows.settle();
    }
    expect(polls).toBe(1);
    expect(shadows.counts).toEqual({ evaluated: 0, diverged: 0, missed: 0, failed: 0 });
  });

  test('counts intents beyond the queue as missed, and delays nothing', async () => {
    await put();
    const settings = await t.gate.projectSettings.current(t.projectId);
    const { intent } = await submitIntent(t.gate, t.agent, {
      action: 'payments.refund',
      params: { amount: 75 },
    });
    await t.shadows.settle();
    const outcome = { ...OUTCOME, effect: 'allow' as const, rule: 'small refunds' };
    for (let index = 0; index < 2500; index++) t.shadows.observe(settings, intent, t.agent.agent, outcome);
    await t.shadows.settle();
    expect(t.shadows.counts).toMatchObject({ evaluated: 2001, missed: 500 });
  });

  test('queues only a few of the largest intents, so that memory use stays flat', async () => {
    await put();
    const settings = await t.gate.projectSettings.current(t.projectId);
    const { intent } = await submitIntent(t.gate, t.agent, {
      action: 'payments.refund',
      params: { amount: 75, words: Array.from({ length: 20_000 }, (_, n) => `word ${n}`) },
    });
    await t.shadows.settle();
    const outcome = { ...OUTCOME, effect: 'allow' as const, rule: 'small refunds' };
    const observe = () => t.shadows.observe(settings, intent, t.agent.agent, outcome);
    for (let index = 0; index < 500; index++) observe();
    await t.shadows.settle();
    expect(t.shadows.counts).toMatchObject({ evaluated: 65, missed: 436 });
    // The queue is empty, so it accepts intents again.
    for (let index = 0; index < 64; index++) observe();
    await t.shadows.settle();
    expect(t.shadows.counts).toMatchObject({ evaluated: 129, missed: 436 });
  });
});

const OUTCOME = {
  reason: null,
  requirement: [],
  mandates: { isOn: false as const },
  riskTier: 'low' as const,
  ratesRisk: false,
  proofTier: 'none' as const,
  expiresInSeconds: null,
  permitTtlSeconds: null,
  failures: [],
};
