/** A request repeated at another gate while it is still being answered, or after the gate that answered it was slow. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordEvent } from '../../src/gate/audit/record-event.ts';
import { GateError } from '../../src/gate/kernel/errors.ts';
import { AnswerOnce } from '../../src/http/once/answer-once.ts';
import { surfaceA } from '../../src/http/surface-a/surface-a.ts';
import { surfaceB } from '../../src/http/surface-b/surface-b.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { type Gates, openGates } from './open-gates.ts';

/** Longer than a change is held back for its answer. */
const SLOW_MS = 500;

let t: Gates;
let replicas: AnswerOnce[];
beforeEach(async () => {
  t = await openGates(2);
  replicas = t.gates.map(({ gate }) => new AnswerOnce(gate, { a: surfaceA.errors, b: surfaceB.errors }));
});
afterEach(() => t.close());

/** One request under one key, whichever gate it comes to; `act` is what its route does. */
function ask(gate: number, act: (inside: GateParts) => Promise<{ status: number; body: { by: number } }>) {
  const request = {
    caller: t.agent,
    headers: { 'idempotency-key': 'k' },
    method: 'POST',
    url: '/v1/x',
    id: 'req_x',
    rawBody: null,
  };
  const reply = { code() {}, header() {} };
  return (replicas[gate] as AnswerOnce).answer(request as never, reply, { act });
}

/** A change that can be counted, and an answer that takes its time: so many milliseconds, or until something is over. */
const slowly =
  (by: number, time: number | Promise<void> = SLOW_MS) =>
  async (inside: GateParts) => {
    await inside.storage.transaction(
      (tx) =>
        recordEvent(inside, tx, {
          projectId: t.projectId,
          type: 'access.refused',
          occurredAt: inside.clock.now(),
          actor: { type: 'system', id: 'system', display: 'the gate' },
        }),
      { guarded: true },
    );
    await (typeof time === 'number' ? delay(time) : time);
    return { status: 201, body: { by } };
  };

const changes = async () => (await t.events(t.projectId, 'access.refused')).length;

test('at two gates at once, however slow both are: one change', async () => {
  const answers = await Promise.allSettled([ask(0, slowly(0)), ask(1, slowly(1))]);
  expect(await changes()).toBe(1);
  const first = await ask(0, slowly(9));
  expect(first).not.toEqual({ by: 9 });
  expect(await ask(1, slowly(9))).toEqual(first);
  // Whoever came second was told so, or waited long enough to have the first answer.
  for (const answer of answers) {
    if (answer.status === 'fulfilled') expect(answer.value).toEqual(first);
    else expect(answer.reason).toMatchObject({ code: 'idempotency_in_progress' });
  }
  expect(await changes()).toBe(1);
});

test('at two gates at once, with a second change to make: one does all of it', async () => {
  const twice = (by: number) => async (inside: GateParts) => {
    await slowly(by, 50)(inside);
    return slowly(by, 50)(inside);
  };
  const answers = await Promise.allSettled([ask(0, twice(0)), ask(1, twice(1))]);
  expect(await changes()).toBe(2);
  expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
  for (const answer of answers) {
    if (answer.status === 'rejected')
      expect(answer.reason).toMatchObject({ code: 'idempotency_in_progress' });
  }
});

test('at another gate while the first one takes long: told that it runs, and answered the same afterwards', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const first = ask(0, slowly(0, over));
  await expect.poll(changes).toBe(1);
  await expect(ask(1, slowly(1))).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  end();
  expect(await first).toEqual({ by: 0 });
  expect(await ask(1, slowly(1))).toEqual({ by: 0 });
  expect(await changes()).toBe(1);
});

test('a refusal that comes late is the answer; one of the moment leaves the key free', async () => {
  const refuse = (code: 'conflict' | 'agent_paused') => async (inside: GateParts) => {
    await slowly(0)(inside);
    if (code === 'conflict') throw new GateError('conflict', 'It was done, and yet.', {});
    throw new GateError('agent_paused', 'Not now.', {});
  };
  await expect(ask(0, refuse('agent_paused'))).rejects.toThrow('Not now');
  await expect(ask(1, refuse('conflict'))).rejects.toThrow('It was done');
  const before = await changes();
  expect(await ask(0, slowly(2))).toMatchObject({ error: { code: 'conflict' } });
  expect(await changes()).toBe(before);
});

test('a change whose operation could not go on is not made, while it can still be undone', async () => {
  const told = ask(0, async (inside) => {
    await slowly(0, Promise.resolve())(inside);
    throw new GateError('service_unavailable', 'nothing was changed', { retry_after_seconds: 1 });
  });
  await expect(told).rejects.toThrow('nothing was changed');
  expect(await changes()).toBe(0);
  expect(await ask(1, slowly(1, Promise.resolve()))).toEqual({ by: 1 });
  expect(await changes()).toBe(1);
});

/** The database is gone for a moment once the change is durable. */
test.each(['its answer is kept', 'it has its answer'])(
  'a change whose gate loses the database before %s is not made again',
  async (when) => {
    const [own] = t.gates;
    if (!own) throw new Error('there are two gates');
    let isGone = false;
    const gone = () =>
      new GateError('service_unavailable', 'nothing was changed', { retry_after_seconds: 1 });
    const storage: GateParts['storage'] = {
      read: own.gate.storage.read,
      committed: own.gate.storage.committed,
      forget: () => own.gate.storage.forget(),
      transaction(work, how) {
        if (!isGone) return own.gate.storage.transaction(work, how);
        isGone = false;
        return Promise.reject(gone());
      },
    };
    replicas[0] = new AnswerOnce({ ...own.gate, storage }, { a: surfaceA.errors, b: surfaceB.errors });
    const told = ask(0, async (inside) => {
      const answer = await slowly(0)(inside);
      if (when === 'it has its answer') throw gone();
      isGone = true;
      return answer;
    });
    const error: unknown = await told.catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect((error as Error).message).not.toContain('nothing was changed');
    for (const gate of [0, 1]) {
      await expect(ask(gate, slowly(9))).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    }
    expect(await changes()).toBe(1);
  },
);
