/** Waiting for people while gates restart and connections break. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Permitry, PermitryError, WaitTimeoutError } from '../src/index.ts';
import {
  answer,
  breakMidway,
  type Flaw,
  type FlawedWay,
  loseAnswer,
  loseRequest,
  openFlawedWay,
  refuse,
} from './fixtures/open-flawed-way.ts';
import { type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let served: ServedGate;
let owner: Permitry;
let way: FlawedWay;
let agent: Permitry;
beforeAll(async () => {
  served = await serveGate();
  owner = new Permitry({ baseUrl: served.url, apiKey: served.first.secret_key });
});
afterAll(() => served.close());
beforeEach(async () => {
  way = await openFlawedWay(served.url);
  agent = new Permitry({ baseUrl: way.url, apiKey: served.first.agent_key });
});
afterEach(() => way.close());

async function newIntent(): Promise<{ id: string; name: string }> {
  const { id } = await agent.intents.create({ action: 'deploy' });
  way.seen.length = 0;
  return { id, name: `GET /v1/intents/${id}` };
}

async function untilSeen(count: number): Promise<void> {
  while (way.seen.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('waiting survives', () => {
  const accidents: [string, Flaw][] = [
    ['a connection that breaks before the poll is answered', loseRequest],
    ['an answer that is lost', answer(200, '{"id":')],
    ['an answer that breaks midway', breakMidway],
    ['a gate without its storage', refuse(503, 'service_unavailable', { headers: { 'retry-after': '0' } })],
    ['a proxy that cannot reach the gate', answer(502, '<h1>Bad Gateway</h1>')],
    ['a proxy that times out', answer(504, 'too late')],
    ['a reached rate limit', refuse(429, 'rate_limited', { headers: { 'retry-after': '0' } })],
  ];

  it.each(accidents)('%s', async (_, flaw) => {
    const { id, name } = await newIntent();
    way.next(name, flaw, flaw);
    const waiting = agent.intents.wait(id);
    await untilSeen(3);
    await owner.intents.approve(id);
    const { status, permit } = await waiting;
    expect(status).toBe('approved');
    expect(permit?.token).toBeTypeOf('string');
  });

  it('a gate that is replaced by another one', async () => {
    const direct = new Permitry({ baseUrl: served.url, apiKey: served.first.agent_key });
    const { id } = await direct.intents.create({ action: 'deploy' });
    const waiting = direct.intents.wait(id);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await served.replace();
    await owner.intents.deny(id, { reason: 'after the change' });
    expect(await waiting).toMatchObject({ status: 'denied', reason: 'after the change' });
  });

  it('a proxy that never holds an answer, without a busy loop', async () => {
    const { id, name } = await newIntent();
    const pending = answer(200, { id, status: 'pending', action: 'deploy', expires_at: '' });
    way.next(name, ...Array.from({ length: 100 }, () => pending));
    await expect(agent.intents.wait(id, { waitMs: 1500 })).rejects.toBeInstanceOf(WaitTimeoutError);
    expect(way.seen.length).toBeLessThan(12);
  });
});

describe('waiting ends', () => {
  it('after polls that are each shorter than a minute and than the remaining time', async () => {
    const { id } = await newIntent();
    const controller = new AbortController();
    const forever = agent.intents.wait(id, { signal: controller.signal }).catch((error: unknown) => error);
    await untilSeen(1);
    expect(way.seen[0]?.url).toContain('?wait=50');
    controller.abort(new Error('enough'));
    expect(await forever).toMatchObject({ message: 'enough' });
    way.seen.length = 0;
    await expect(agent.intents.wait(id, { waitMs: 1100 })).rejects.toBeInstanceOf(WaitTimeoutError);
    expect(way.seen.map(({ url }) => url.split('?')[1])).toEqual(['wait=1', undefined]);
  });

  it('after waitMs, however long the gate asks to back off', async () => {
    const { id, name } = await newIntent();
    const headers = { 'retry-after': '86400' };
    const away = refuse(503, 'service_unavailable', { headers });
    way.next(name, away, away, away);
    const begun = performance.now();
    const late = agent.intents.wait(id, { waitMs: 300 });
    await expect(late).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('with the last known intent, if the gate has become unreachable', async () => {
    const { id, name } = await newIntent();
    const pending = answer(200, { id, status: 'pending', action: 'deploy', expires_at: '' });
    way.next(name, pending, ...Array.from({ length: 20 }, () => loseRequest));
    const late = await agent.intents.wait(id, { waitMs: 1500 }).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(WaitTimeoutError);
    expect((late as WaitTimeoutError).intent.id).toBe(id);
    expect((late as WaitTimeoutError).cause).toMatchObject({ problem: 'interrupted' });
  });

  it.each([
    ['a failure of the gate', refuse(500, 'internal_error'), 'internal_error'],
    ['a key that was revoked', refuse(401, 'unauthorized'), 'unauthorized'],
    ['an intent that does not exist', refuse(404, 'intent_not_found'), 'intent_not_found'],
  ])('at once on %s', async (_, flaw, code) => {
    const { id, name } = await newIntent();
    way.next(name, flaw);
    const failed = await agent.intents.wait(id).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(PermitryError);
    expect(failed).toMatchObject({ code });
    expect(way.seen).toHaveLength(1);
  });

  it('at a redirect, and after repeated answers that are not JSON', async () => {
    const { id, name } = await newIntent();
    way.next(name, answer(302, '', { location: 'https://elsewhere.example/' }));
    await expect(agent.intents.wait(id)).rejects.toMatchObject({ problem: 'redirected' });
    const nonsense = answer(200, '<h1>Please sign in to this network</h1>');
    way.next(name, nonsense, nonsense, nonsense);
    await expect(agent.intents.wait(id)).rejects.toMatchObject({ problem: 'broken_answer' });
    expect(way.seen).toHaveLength(4);
  });

  it('when the caller aborts, even during a back-off', async () => {
    const { id, name } = await newIntent();
    way.next(name, refuse(503, 'service_unavailable', { headers: { 'retry-after': '30' } }));
    const controller = new AbortController();
    const waiting = agent.intents.wait(id, { signal: controller.signal });
    await untilSeen(1);
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });

  it.each([-1, Number.NaN])('before it begins with waitMs %s', async (waitMs) => {
    await expect(agent.intents.wait('int_1', { waitMs })).rejects.toBeInstanceOf(TypeError);
  });
});

it('a use repeated under its key gets the answer that was lost', async () => {
  const { id } = await newIntent();
  const { permit } = await owner.intents.approve(id);
  way.next('POST /v1/permits/validate', loseAnswer);
  const use = { token: permit?.token ?? '', action: 'deploy', params: {} };
  const lost = await agent.permits.consume(use).catch((error: unknown) => error);
  const { idempotencyKey, isSent } = lost as { idempotencyKey: string; isSent: boolean };
  expect(isSent).toBe(true);
  expect(await agent.permits.consume(use, { idempotencyKey })).toMatchObject({ consumed: true });
  await expect(agent.permits.consume(use)).rejects.toMatchObject({ reason: 'already_used' });
});
