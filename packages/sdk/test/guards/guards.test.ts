/** Executors behind a guard, with a real gate, in each framework. */
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createMemoryReplayStore,
  createVerifier,
  type Intent,
  type JsonObject,
  Permitry,
} from '../../src/index.ts';
import { type ServedGate, serveGate } from '../fixtures/serve-gate.ts';
import { type Executor, FRAMEWORKS, type Handle, type SharedOptions } from './executors.ts';

const ACTION = 'payments.refund';
const PARAMS = { order: 'A-1', amount: 120.5 };

let served: ServedGate;
let agent: Permitry;
let owner: Permitry;
let client: Permitry;
beforeAll(async () => {
  served = await serveGate({
    rules: [{ name: 'small', match: { action: '*' }, when: 'params.amount < 1000.0', effect: 'allow' }],
  });
  agent = new Permitry({ baseUrl: served.url, apiKey: served.first.agent_key });
  owner = new Permitry({ baseUrl: served.url, apiKey: served.first.secret_key });
  client = new Permitry({ baseUrl: served.url, apiKey: served.first.verifier_key });
});
afterAll(() => served.close());

const allow = (action = ACTION, params: JsonObject = PARAMS): Promise<Intent> =>
  agent.intents.create({ action, params });
const tokenOf = (intent: Intent): string => intent.permit?.token ?? '';

describe.each(Object.entries(FRAMEWORKS))('a guard of %s', (_, serve) => {
  let executors: Executor[] = [];
  let ran: JsonObject[] = [];
  beforeEach(() => {
    ran = [];
  });
  afterEach(async () => {
    await Promise.all(executors.map((executor) => executor.close()));
    executors = [];
  });

  async function start(options: Partial<SharedOptions> = {}, handle?: Handle): Promise<string> {
    const executor = await serve({ action: ACTION, client, ...options }, (permit) => {
      ran.push(permit.params);
      return handle?.(permit) ?? 200;
    });
    executors.push(executor);
    return executor.url;
  }

  async function post(
    url: string,
    headers: Record<string, string>,
    body: unknown = PARAMS,
    path = '/refunds',
  ) {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const answer = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, error: answer.error, answer };
  }

  const outcomeOf = async (intent: Intent) => (await agent.intents.get(intent.id)).outcome;

  it('admits the request once, hands over the checked parameters, and reports success', async () => {
    const url = await start();
    const intent = await allow();
    const { status } = await post(
      url,
      { authorization: `Permit ${tokenOf(intent)}` },
      { amount: 120.5, order: 'A-1' },
    );
    expect(status).toBe(200);
    expect(ran).toEqual([PARAMS]);
    await expect.poll(() => outcomeOf(intent)).toBe('succeeded');
    const again = await post(url, { permit: tokenOf(intent) });
    expect(again).toMatchObject({ status: 403, error: { code: 'permit_refused', reason: 'already_used' } });
    expect(ran).toHaveLength(1);
  });

  it('reports a status from 400 on as failed', async () => {
    const url = await start({}, () => 422);
    const intent = await allow();
    expect(await post(url, { permit: tokenOf(intent) })).toMatchObject({ status: 422 });
    await expect.poll(() => outcomeOf(intent)).toBe('failed');
  });

  it('reports a handler that throws as failed', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const url = await start({}, () => {
      throw new Error('the bank is closed');
    });
    const intent = await allow();
    expect(await post(url, { permit: tokenOf(intent) })).toMatchObject({ status: 500 });
    await expect.poll(() => outcomeOf(intent)).toBe('failed');
    vi.restoreAllMocks();
  });

  it('reports nothing when reporting is switched off', async () => {
    const url = await start({ reportOutcome: false });
    const intent = await allow();
    expect(await post(url, { permit: tokenOf(intent) })).toMatchObject({ status: 200 });
    const other = await start();
    const reported = await allow();
    await post(other, { permit: tokenOf(reported) });
    await expect.poll(() => outcomeOf(reported)).toBe('succeeded');
    expect(await outcomeOf(intent)).toBeNull();
  });

  it('admits exactly one of many simultaneous requests with the same permit', async () => {
    const url = await start();
    const permit = tokenOf(await allow());
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(url, { permit })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ error }) => error?.reason === 'already_used')).toHaveLength(9);
    expect(ran).toHaveLength(1);
  });

  it('requires a permit, and names the action that needs it', async () => {
    const url = await start();
    const refused = { status: 403, error: { code: 'permit_required', action: ACTION } };
    expect(await post(url, {})).toMatchObject(refused);
    expect(await post(url, { authorization: 'Bearer something' })).toMatchObject(refused);
    expect(ran).toEqual([]);
  });

  it('refuses two permits at once, and uses neither', async () => {
    const url = await start();
    const permit = tokenOf(await allow());
    const refused = await post(url, { permit, authorization: `Permit ${permit}` });
    expect(refused).toMatchObject({ status: 400, error: { code: 'invalid_request' } });
    expect(ran).toEqual([]);
    expect(await post(url, { permit })).toMatchObject({ status: 200 });
  });

  it.each([
    ['other parameters', () => allow(ACTION, { ...PARAMS, amount: 121 }), 403, 'params_mismatch'],
    ['another action', () => allow('payments.payout'), 403, 'action_mismatch'],
    ['a revoked approval', () => allow().then(revoke), 403, 'revoked'],
  ])('refuses a permit for %s', async (_case, make, status, reason) => {
    const url = await start();
    const refused = await post(url, { permit: tokenOf(await make()) });
    expect(refused).toMatchObject({ status, error: { code: 'permit_refused', reason } });
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(ran).toEqual([]);
  });

  async function revoke(intent: Intent): Promise<Intent> {
    await owner.permits.revoke({ intent_id: intent.id });
    return intent;
  }

  it('answers 400 to a token that is not a permit', async () => {
    const url = await start();
    expect(await post(url, { permit: 'nonsense' })).toMatchObject({
      status: 400,
      error: { code: 'permit_refused', reason: 'malformed' },
    });
    expect(ran).toEqual([]);
  });

  it('answers 400 to parameters that are not an object', async () => {
    const url = await start();
    const permit = tokenOf(await allow());
    expect(await post(url, { permit }, [1, 2])).toMatchObject({
      status: 400,
      error: { code: 'invalid_request' },
    });
    expect(ran).toEqual([]);
  });

  it('answers 400 to a body that is not JSON, and uses no permit', async () => {
    const url = await start();
    const permit = tokenOf(await allow());
    const headers = { 'content-type': 'application/json', permit };
    const response = await fetch(`${url}/refunds`, { method: 'POST', headers, body: '{"order":' });
    expect(response.status).toBe(400);
    expect(ran).toEqual([]);
    expect(await post(url, { permit })).toMatchObject({ status: 200 });
  });

  it('fails closed when the gate is unreachable', async () => {
    const onError = vi.fn();
    const away = new Permitry({ baseUrl: 'http://127.0.0.1:2', apiKey: served.first.verifier_key });
    const url = await start({ client: away, onError });
    const refused = await post(url, { permit: tokenOf(await allow()) });
    expect(refused).toMatchObject({ status: 503, error: { code: 'gate_unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(onError).toHaveBeenCalledOnce();
    expect(ran).toEqual([]);
  });

  it('fails closed when the gate does not know the executor, and does not blame the permit', async () => {
    const onError = vi.fn();
    const stranger = new Permitry({
      baseUrl: served.url,
      apiKey: `${served.first.verifier_key.slice(0, -1)}!`,
    });
    const url = await start({ client: stranger, onError });
    expect(await post(url, { permit: tokenOf(await allow()) })).toMatchObject({
      status: 503,
      error: { code: 'gate_unavailable' },
    });
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'unauthorized' });
    expect(ran).toEqual([]);
  });

  it('retries under the same key when the answer was lost, and runs once', async () => {
    let lost = 0;
    const flaky = new Permitry({
      baseUrl: served.url,
      apiKey: served.first.verifier_key,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).endsWith('/validate') || lost > 0) return response;
        lost += 1;
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
        });
      },
    });
    const url = await start({ client: flaky });
    expect(await post(url, { permit: tokenOf(await allow()) })).toMatchObject({ status: 200 });
    expect(lost).toBe(1);
    expect(ran).toHaveLength(1);
  });

  it('fails closed, and stays up, when its error listener throws as well', async () => {
    const onError = vi.fn(() => {
      throw new Error('the listener failed');
    });
    const failing = (path: string) =>
      new Permitry({
        baseUrl: served.url,
        apiKey: served.first.verifier_key,
        fetch: async (input, init) =>
          String(input).endsWith(path) ? new Response('{}', { status: 500 }) : fetch(input, init),
      });
    const intent = await allow();
    const away = await start({ client: failing('/validate'), onError });
    expect(await post(away, { permit: tokenOf(intent) })).toMatchObject({ status: 503 });
    expect(ran).toEqual([]);
    const silent = await start({ client: failing('/outcome'), onError });
    expect(await post(silent, { permit: tokenOf(intent) })).toMatchObject({ status: 200 });
    await expect.poll(() => onError).toHaveBeenCalledTimes(2);
  });

  it('verifies offline once, and reports nothing', async () => {
    const verifier = createVerifier({
      issuer: served.url,
      audience: served.projectId,
      acceptTestPermits: true,
      replayStore: createMemoryReplayStore(),
    });
    const url = await start({ client: undefined as never, verifier });
    const intent = await allow();
    expect(await post(url, { permit: tokenOf(intent) })).toMatchObject({ status: 200 });
    expect(await post(url, { permit: tokenOf(intent) })).toMatchObject({
      status: 403,
      error: { code: 'permit_refused', reason: 'already_used' },
    });
    expect(await post(url, { permit: tokenOf(await allow()) }, { ...PARAMS, amount: 1 })).toMatchObject({
      status: 403,
      error: { reason: 'params_mismatch' },
    });
    expect(ran).toHaveLength(1);
    expect(await outcomeOf(intent)).toBeNull();
  });

  it('fails closed with a verifier that cannot remember uses', async () => {
    const onError = vi.fn();
    const verifier = createVerifier({
      issuer: served.url,
      audience: served.projectId,
      acceptTestPermits: true,
    });
    const url = await start({ client: undefined as never, verifier, onError });
    expect(await post(url, { permit: tokenOf(await allow()) })).toMatchObject({ status: 503 });
    expect(String(onError.mock.calls[0]?.[0])).toContain('replayStore');
    expect(ran).toEqual([]);
  });

  it('does not let a handler run without a guard', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const url = await start();
    expect(await post(url, {}, {}, '/bare')).toMatchObject({ status: 500 });
    vi.restoreAllMocks();
  });
});

describe.each([
  ['express', FRAMEWORKS.express],
  ['fastify', FRAMEWORKS.fastify],
])('a connection to %s that closes before the answer', (_, serve) => {
  it('leaves the outcome unknown', async () => {
    let begun: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const executor = await serve({ action: ACTION, client }, async () => {
      begun();
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return 200;
    });
    const intent = await allow();
    const call = request(`${executor.url}/refunds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', permit: tokenOf(intent) },
    });
    call.on('error', () => undefined);
    call.end(JSON.stringify(PARAMS));
    await hasBegun;
    call.destroy();
    await expect.poll(async () => (await agent.intents.get(intent.id)).outcome).toBe('unknown');
    goOn();
    await executor.close();
  });

  it('leaves the outcome unknown even if it was closed before the handler started', async () => {
    let leave: () => Promise<void> = async () => undefined;
    const leaving = new Permitry({
      baseUrl: served.url,
      apiKey: served.first.verifier_key,
      async fetch(input, init) {
        const response = await fetch(input, init);
        if (String(input).endsWith('/validate')) await leave();
        return response;
      },
    });
    const executor = await serve({ action: ACTION, client: leaving }, () => 200);
    const intent = await allow();
    const call = request(`${executor.url}/refunds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', permit: tokenOf(intent) },
    });
    call.on('error', () => undefined);
    leave = async () => {
      call.destroy();
      await expect.poll(executor.connections).toBe(0);
    };
    call.end(JSON.stringify(PARAMS));
    await expect.poll(async () => (await agent.intents.get(intent.id)).outcome).toBe('unknown');
    await executor.close();
  });
});
