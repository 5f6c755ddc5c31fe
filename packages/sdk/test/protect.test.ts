/**
 * Protected functions with a real gate and lost answers: nothing runs twice, and nothing runs without the use of a
 * permit.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ConnectionError,
  DeniedError,
  Permitry,
  PermitryError,
  type UsedPermit,
  WaitTimeoutError,
} from '../src/index.ts';
import {
  answer,
  type FlawedWay,
  keepSilent,
  loseAnswer,
  loseRequest,
  openFlawedWay,
  refuse,
  useOf,
} from './fixtures/open-flawed-way.ts';
import { type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let served: ServedGate;
let owner: Permitry;
let way: FlawedWay;
let agent: Permitry;
const run = vi.fn();
beforeAll(async () => {
  served = await serveGate({
    rules: [
      { name: 'small', match: { action: 'refund' }, when: 'params.amount < 10.0', effect: 'allow' },
      { name: 'never', match: { action: 'drop' }, effect: 'deny', reason: 'Not by an agent.' },
    ],
  });
  owner = new Permitry({ baseUrl: served.url, apiKey: served.first.secret_key });
});
afterAll(() => served.close());
beforeEach(async () => {
  run.mockReset().mockReturnValue('done');
  way = await openFlawedWay(served.url);
  agent = new Permitry({ baseUrl: way.url, apiKey: served.first.agent_key });
});
afterEach(() => way.close());

const SMALL = { order: 'A-1', amount: 1 };
const LARGE = { order: 'A-1', amount: 1000 };
const CREATE = 'POST /v1/intents';
const USE = 'POST /v1/permits/validate';

/** The intent, after its outcome was reported. */
async function intentOf(permit: UsedPermit | undefined) {
  await agent.reported();
  return owner.intents.get(permit?.intent_id ?? '');
}
const permitOfRun = () => run.mock.calls[0]?.[1] as UsedPermit | undefined;

async function intentsOf(action: string): Promise<number> {
  let count = 0;
  for await (const { data } of owner.audit.all(served.projectId, { type: 'intent.created' }))
    if (data.action === action) count += 1;
  return count;
}

/** Waits until a request is pending, and returns its id. */
async function pendingId(): Promise<string> {
  for (;;) {
    const poll = way.seen.find(({ url }) => url.includes('?wait='));
    if (poll) return poll.name.replace('GET /v1/intents/', '');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a protected function', () => {
  it('runs once when policy allows, with its permit, and reports its outcome', async () => {
    const refund = agent.protect('refund', run);
    expect(await refund(SMALL)).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
    expect(run.mock.calls[0]?.[0]).toEqual(SMALL);
    expect(permitOfRun()).toMatchObject({ consumed: true, authorizes: true, approved_by: 'policy:small' });
    expect((await intentOf(permitOfRun())).outcome).toBe('succeeded');
    expect(way.seen.map(({ name }) => name.split('/').at(-1))).toEqual(['intents', 'validate', 'outcome']);
  });

  it('waits for a decision, passes on the approval link, and sends the intent’s other properties', async () => {
    const onPending = vi.fn();
    const intent = ({ amount }: { amount: number }) => ({ metadata: { note: `about ${amount}` } });
    const refunding = agent.protect('refund', run, { onPending, intent })(LARGE);
    const id = await pendingId();
    expect(onPending).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ id, approval_url: `${served.url}/approve/${id}` }),
    );
    expect(run).not.toHaveBeenCalled();
    await owner.intents.approve(id);
    expect(await refunding).toBe('done');
    await agent.reported();
    expect(await owner.intents.get(id)).toMatchObject({
      outcome: 'succeeded',
      metadata: { note: 'about 1000' },
    });
  });

  it('runs with the approved parameters, even if the object changed after the call', async () => {
    const params = { order: 'A-1', amount: 1000, fee: -0, lines: [{ sku: 'x' }] };
    const refunding = agent.protect('refund', run)(params);
    params.amount = 1_000_000;
    params.lines.push({ sku: 'y' });
    const id = await pendingId();
    await owner.intents.approve(id);
    await refunding;
    expect(run.mock.calls[0]?.[0]).toEqual({ order: 'A-1', amount: 1000, fee: 0, lines: [{ sku: 'x' }] });
  });

  it('runs with the approved parameters, even if the function that describes them changes them', async () => {
    let kept = { order: '', amount: 0 };
    const intent = (params: typeof kept) => {
      kept = params;
      params.order = 'B-2';
      return {};
    };
    const refunding = agent.protect('refund', run, { intent })({ ...LARGE });
    const id = await pendingId();
    expect((await owner.intents.get(id)).params).toEqual(LARGE);
    way.next(USE, async (response, _, forward) => {
      const { text } = await forward();
      kept.amount = 1_000_000;
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
    await owner.intents.approve(id);
    await refunding;
    expect(run.mock.calls[0]?.[0]).toEqual(LARGE);
  });

  it('throws the action’s own error after the report, and includes its text only when asked to', async () => {
    const boom = new Error('the password is swordfish');
    run.mockRejectedValue(boom);
    await expect(agent.protect('refund', run)(SMALL)).rejects.toBe(boom);
    expect((await intentOf(permitOfRun())).outcome).toBe('failed');
    expect(way.seen.at(-1)?.body).toBe('{"outcome":"failed"}');
    const describeFailure = () => `the bank was away${'!'.repeat(3000)}`;
    await expect(agent.protect('refund', run, { describeFailure })(SMALL)).rejects.toBe(boom);
    await agent.reported();
    expect(JSON.parse(way.seen.at(-1)?.body ?? '').detail).toHaveLength(2000);
  });
});

describe('a protected function does not run', () => {
  it('when a person denies, and the error carries the reason', async () => {
    const refunding = agent
      .protect(
        'refund',
        run,
      )(LARGE)
      .catch((error: unknown) => error);
    await owner.intents.deny(await pendingId(), { reason: 'Too much.' });
    const denied = await refunding;
    expect(denied).toBeInstanceOf(DeniedError);
    expect(denied).toMatchObject({ reason: 'Too much.', intent: { status: 'denied' } });
    expect(run).not.toHaveBeenCalled();
  });

  it('when policy denies, and the error names the rule', async () => {
    const denied = await agent
      .protect(
        'drop',
        run,
      )({})
      .catch((error: unknown) => error);
    expect(denied).toBeInstanceOf(DeniedError);
    expect(denied).toMatchObject({
      rule: 'never',
      reason: 'Not by an agent.',
      message:
        'drop was denied by the policy rule "never" and was not run; the reason given is: Not by an agent.',
    });
    expect(run).not.toHaveBeenCalled();
  });

  it('when nobody decides before the intent expires', async () => {
    const refund = agent.protect('refund', run, { intent: { expires_in: 1 } });
    const denied = await refund(LARGE).catch((error: unknown) => error);
    expect(denied).toMatchObject({
      name: 'DeniedError',
      intent: { status: 'expired' },
      message: 'Nobody decided on refund in time, so it was not run.',
    });
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ['withdraw', 'denied'],
    ['leave', 'pending'],
  ] as const)('when nobody decides within waitMs (onGivingUp: %s)', async (onGivingUp, status) => {
    const late = await agent
      .protect('refund', run, { waitMs: 50, onGivingUp })(LARGE)
      .catch((error: unknown) => error);
    expect(late).toBeInstanceOf(WaitTimeoutError);
    const { id } = (late as WaitTimeoutError).intent;
    expect((await owner.intents.get(id)).status).toBe(status);
    expect(run).not.toHaveBeenCalled();
  });

  it('when the caller aborts, and the request is withdrawn', async () => {
    const controller = new AbortController();
    const refunding = agent.protect('refund', run)(LARGE, { signal: controller.signal });
    const id = await pendingId();
    controller.abort(new Error('enough'));
    await expect(refunding).rejects.toThrow('enough');
    expect(await owner.intents.get(id)).toMatchObject({ status: 'denied', reason: 'withdrawn' });
    expect(run).not.toHaveBeenCalled();
  });

  it('when the caller aborts while the permit is being used', async () => {
    const controller = new AbortController();
    way.next(USE, async (response, request, forward) => {
      const { text } = await forward();
      controller.abort(new Error('enough'));
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      expect(request.name).toBe(USE);
    });
    const refunding = agent.protect('refund', run)(SMALL, { signal: controller.signal });
    await expect(refunding).rejects.toThrow('enough');
    expect(run).not.toHaveBeenCalled();
    await agent.reported();
    const told = way.seen.at(-1);
    expect(JSON.parse(told?.body ?? '')).toMatchObject({ outcome: 'failed' });
  });

  it('when the listener that should notify people fails', async () => {
    let id = '';
    const onPending = (intent: { id: string }) => {
      id = intent.id;
      throw new Error('no mail today');
    };
    await expect(agent.protect('refund', run, { onPending })(LARGE)).rejects.toThrow('no mail today');
    expect((await owner.intents.get(id)).status).toBe('denied');
    expect(run).not.toHaveBeenCalled();
  });

  it('when the gate refuses the use of the permit', async () => {
    const refunding = agent
      .protect(
        'refund',
        run,
      )(LARGE)
      .catch((error: unknown) => error);
    const id = await pendingId();
    way.next(USE, async (response, _, forward) => {
      await owner.permits.revoke({ intent_id: id });
      const { status, text } = await forward();
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
    await owner.intents.approve(id);
    expect(await refunding).toMatchObject({ code: 'permit_invalid', reason: 'revoked' });
    expect(run).not.toHaveBeenCalled();
  });

  it('when the gate never answers the use of the permit', async () => {
    way.next(USE, ...Array.from({ length: 10 }, () => loseAnswer));
    const failed = await agent
      .protect(
        'refund',
        run,
      )(SMALL)
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ConnectionError);
    expect(run).not.toHaveBeenCalled();
    const uses = way.seen.filter(({ name }) => name === USE);
    expect(uses).toHaveLength(5);
    expect(new Set(uses.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('when the gate answers with the use of another intent', async () => {
    const other = await owner.intents.create({ action: 'refund', params: SMALL });
    way.next(USE, ...Array.from({ length: 5 }, () => useOf(other.id)));
    await expect(agent.protect('refund', run)(SMALL)).rejects.toMatchObject({ problem: 'broken_answer' });
    expect(run).not.toHaveBeenCalled();
  });

  it('when the gate answers with the intent of another action that has the same parameters', async () => {
    const other = await agent.intents.create({ action: 'refund', params: SMALL });
    expect(other.permit).toBeDefined();
    way.next(CREATE, ...Array.from({ length: 5 }, () => answer(201, other)));
    await expect(agent.protect('drop', run)(SMALL)).rejects.toMatchObject({ problem: 'broken_answer' });
    expect(run).not.toHaveBeenCalled();
  });

  it('when the gate answers with the approval of another intent', async () => {
    const other = await agent.intents.create({ action: 'refund', params: SMALL });
    expect(other.permit).toBeDefined();
    const mixUp = answer(200, other);
    const onPending = ({ id }: { id: string }) => way.next(`GET /v1/intents/${id}`, mixUp, mixUp, mixUp);
    const refunding = agent.protect('refund', run, { onPending })(LARGE);
    await expect(refunding).rejects.toMatchObject({ problem: 'broken_answer' });
    expect(run).not.toHaveBeenCalled();
  });

  it('with parameters that are not JSON, and sends no request', async () => {
    const call = agent.protect('refund', run)({ at: new Date() } as never);
    await expect(call).rejects.toBeInstanceOf(TypeError);
    expect(way.seen).toHaveLength(0);
  });
});

describe('when the gate fails', () => {
  it.each([
    ['the declaration', CREATE, loseAnswer],
    ['the declaration, before it arrived', CREATE, loseRequest],
    ['the use', USE, loseAnswer],
    ['the use, before it arrived', USE, loseRequest],
  ])('the client repeats %s until it is answered: one intent, one use, one run', async (_, name, flaw) => {
    const before = await intentsOf('refund');
    way.next(name, flaw, flaw);
    expect(await agent.protect('refund', run)(SMALL)).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
    expect(await intentsOf('refund')).toBe(before + 1);
    expect((await intentOf(permitOfRun())).outcome).toBe('succeeded');
  });

  it('the client repeats a report whose answer was lost, and the outcome is recorded once', async () => {
    const refunding = agent.protect('refund', async (_, permit) => {
      way.next(`POST /v1/intents/${permit.intent_id}/outcome`, loseAnswer);
      return run(_, permit);
    })(SMALL);
    expect(await refunding).toBe('done');
    expect(run).toHaveBeenCalledTimes(1);
    expect((await intentOf(permitOfRun())).outcome).toBe('succeeded');
  });

  it('the client still returns the result of a run whose outcome it cannot report', async () => {
    const onUnreported = vi.fn();
    const refund = agent.protect(
      'refund',
      (params, permit) => {
        const refused = refuse(500, 'internal_error');
        way.next(`POST /v1/intents/${permit.intent_id}/outcome`, refused);
        return run(params, permit);
      },
      { onUnreported },
    );
    expect(await refund(SMALL)).toBe('done');
    await agent.reported();
    expect(onUnreported).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 500 }));
  });

  it('the client ends a call to a gate that hangs with a timeout', async () => {
    way.next(CREATE, ...Array.from({ length: 5 }, () => keepSilent));
    const failed = await agent
      .protect('refund', run)(SMALL, { timeoutMs: 20 })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ problem: 'timeout' });
    expect(run).not.toHaveBeenCalled();
  });
});

describe('the outcome of a run', () => {
  it('does not hold back the result while the gate hangs', async () => {
    const onUnreported = vi.fn();
    const hung: (() => void)[] = [];
    const hang = (_: unknown, permit: UsedPermit) => {
      way.next(`POST /v1/intents/${permit.intent_id}/outcome`, (response) => {
        hung.push(() => response.destroy());
      });
      return run(_, permit);
    };
    const refund = agent.protect('refund', hang, { onUnreported });
    expect(await refund(SMALL)).toBe('done');
    await expect.poll(() => hung.length).toBe(1);
    expect((await owner.intents.get(permitOfRun()?.intent_id ?? '')).outcome).toBeNull();
    hung[0]?.();
    // A retry reports the outcome.
    expect((await intentOf(permitOfRun())).outcome).toBe('succeeded');
    expect(onUnreported).not.toHaveBeenCalled();
  });

  it('is reported before the error of a failed run is thrown, which may end the program', async () => {
    run.mockRejectedValue(new Error('boom'));
    await expect(agent.protect('refund', run)(SMALL)).rejects.toThrow('boom');
    expect((await owner.intents.get(permitOfRun()?.intent_id ?? '')).outcome).toBe('failed');
  });

  it('delays the error of a failed run only briefly when the gate hangs', async () => {
    const hung: (() => void)[] = [];
    run.mockImplementation((_, permit) => {
      way.next(`POST /v1/intents/${permit.intent_id}/outcome`, (response) => {
        hung.push(() => response.destroy());
      });
      throw new Error('boom');
    });
    await expect(agent.protect('refund', run)(SMALL)).rejects.toThrow('boom');
    await expect.poll(() => hung.length).toBe(1);
    expect((await owner.intents.get(permitOfRun()?.intent_id ?? '')).outcome).toBeNull();
    hung[0]?.();
    expect((await intentOf(permitOfRun())).outcome).toBe('failed');
  });

  it('is reported even if describeFailure throws, and the caller gets the action’s own error', async () => {
    const boom = new Error('boom');
    run.mockRejectedValue(boom);
    const describeFailure = () => {
      throw new Error('another');
    };
    await expect(agent.protect('refund', run, { describeFailure })(SMALL)).rejects.toBe(boom);
    expect((await intentOf(permitOfRun())).outcome).toBe('failed');
  });

  it('does not end the program when the report and its listener both fail', async () => {
    const refund = agent.protect(
      'refund',
      (params, permit) => {
        way.next(`POST /v1/intents/${permit.intent_id}/outcome`, refuse(500, 'internal_error'));
        return run(params, permit);
      },
      {
        onUnreported: () => {
          throw new Error('the listener failed');
        },
      },
    );
    expect(await refund(SMALL)).toBe('done');
    await agent.reported();
  });

  it('is not waited for when nothing ran', async () => {
    await new Permitry({ baseUrl: way.url }).reported();
    expect(way.seen).toHaveLength(0);
  });
});

describe('the same call made twice', () => {
  it('runs only once under one key, even at the same time', async () => {
    const refund = agent.protect('refund', run);
    const both = await Promise.allSettled([
      refund(SMALL, { idempotencyKey: 'order-1' }),
      refund(SMALL, { idempotencyKey: 'order-1' }),
    ]);
    expect(run).toHaveBeenCalledTimes(1);
    const failed = both.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toBeInstanceOf(PermitryError);
    expect(failed[0]?.reason).toMatchObject({ reason: 'already_used' });
  });

  it('runs twice without a key, each time for its own intent', async () => {
    const refund = agent.protect('refund', run);
    await Promise.all([refund(SMALL), refund(SMALL)]);
    expect(run).toHaveBeenCalledTimes(2);
    const ids = run.mock.calls.map(([, permit]) => (permit as UsedPermit).intent_id);
    expect(new Set(ids).size).toBe(2);
  });
});

it('a permit that expired before its use is replaced without another approval', async () => {
  way.next(USE, refuse(400, 'permit_invalid', { reason: 'expired' }));
  expect(await agent.protect('refund', run)(SMALL)).toBe('done');
  expect(run).toHaveBeenCalledTimes(1);
  await agent.reported();
  const names = way.seen.map(({ name }) => name.split('/').at(-1));
  expect(names).toEqual(['intents', 'validate', 'permit', 'validate', 'outcome']);
});
