/**
 * A request is repeated at another gate while the first one is still running, or after the first one's gate lost the
 * database.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordEvent } from '../../src/gate/audit/record-event.ts';
import { GateError } from '../../src/gate/kernel/errors.ts';
import { AnswerOnce, type OnceOnly } from '../../src/http/once/answer-once.ts';
import { surfaceA } from '../../src/http/surface-a/surface-a.ts';
import { surfaceB } from '../../src/http/surface-b/surface-b.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { type Gates, openGates } from './open-gates.ts';

type Result = { by: number };

let t: Gates;
let replicas: AnswerOnce[];
beforeEach(async () => {
  t = await openGates(2);
  replicas = t.gates.map(({ gate }) => new AnswerOnce(gate, { a: surfaceA.errors, b: surfaceB.errors }));
});
afterEach(() => t.close());

function partsOf(gate: number): GateParts {
  const parts = t.gates[gate]?.gate;
  if (!parts) throw new Error(`there is no gate ${gate}`);
  return parts;
}

/** Sends one request under one key to a gate; `act` is its operation. */
function ask(
  gate: number,
  act: OnceOnly<Result>['act'],
  toAnswer: OnceOnly<Result, Result>['toAnswer'] = (body) => ({ status: 201, body }),
) {
  const request = {
    caller: t.agent,
    headers: { 'idempotency-key': 'k' },
    method: 'POST',
    url: '/v1/x',
    id: 'req_x',
    rawBody: null,
  };
  const reply = { code() {}, header() {} };
  return (replicas[gate] as AnswerOnce).answer(request as never, reply, { act, toAnswer });
}

/** A change that can be counted. The operation ends only when `after` resolves. */
const changing =
  (gate: number, by = gate, after: Promise<unknown> = Promise.resolve()): OnceOnly<Result>['act'] =>
  async (_caller, remember) => {
    const parts = partsOf(gate);
    const result = await parts.storage.transaction(
      async (tx) => {
        await recordEvent(parts, tx, {
          projectId: t.projectId,
          type: 'access.refused',
          occurredAt: parts.clock.now(),
          actor: { type: 'system', id: 'system', display: 'the gate' },
        });
        const made = { by };
        await remember?.(tx, made);
        return made;
      },
      { guarded: true },
    );
    await after;
    return result;
  };

const changes = async () => (await t.events(t.projectId, 'access.refused')).length;

test('one request sent to two gates at once makes one change and gets one answer', async () => {
  const answers = await Promise.all([ask(0, changing(0)), ask(1, changing(1))]);
  expect(await changes()).toBe(1);
  expect(answers[0]).not.toHaveProperty('error');
  expect(answers[1]).toEqual(await ask(0, changing(0, 9)));
  expect(await ask(1, changing(1, 9))).toEqual(answers[1]);
  expect(await changes()).toBe(1);
});

test('one request sent 20 times to each of two gates makes one change', async () => {
  const asked = Array.from({ length: 40 }, (_, n) => ask(n % 2, changing(n % 2, n)));
  const answers = await Promise.allSettled(asked);
  const told = new Set<number>();
  for (const answer of answers) {
    if (answer.status === 'fulfilled') told.add(answer.value.by);
    else expect(answer.reason).toMatchObject({ code: 'idempotency_in_progress' });
  }
  expect(told.size).toBe(1);
  expect(await changes()).toBe(1);
});

test('a request repeated at another gate gets the stored answer while the first one is still running', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const first = ask(0, changing(0, 0, over));
  await expect.poll(changes).toBe(1);
  expect(await ask(1, changing(1))).toEqual({ by: 0 });
  end();
  expect(await first).toEqual({ by: 0 });
  expect(await changes()).toBe(1);
});

test('a refusal that comes with a change is stored as the answer, but a temporary refusal is not', async () => {
  const refuse = (error: GateError) => () => {
    throw error;
  };
  const paused = new GateError('agent_paused', 'Not now.', {});
  await expect(ask(0, changing(0), refuse(paused))).rejects.toThrow('Not now');
  const conflict = new GateError('conflict', 'It was done, and yet.', {});
  await expect(ask(1, changing(1), refuse(conflict))).rejects.toThrow('It was done');
  const before = await changes();
  expect(await ask(0, changing(0, 2))).toMatchObject({ error: { code: 'conflict' } });
  expect(await changes()).toBe(before);
});

test('a change that cannot be committed is not made, and its idempotency key stays free', async () => {
  const lost: OnceOnly<Result>['act'] = async (_caller, remember) => {
    await partsOf(0).storage.transaction(
      async (tx) => {
        await tx.bumpProjectRevision(t.projectId);
        await remember?.(tx, { by: 0 });
        throw new GateError('service_unavailable', 'nothing was changed', { retry_after_seconds: 1 });
      },
      { guarded: true },
    );
    return { by: 0 };
  };
  const before = await t.project();
  await expect(ask(0, lost)).rejects.toThrow('nothing was changed');
  expect(await t.project()).toEqual(before);
  expect(await ask(1, changing(1))).toEqual({ by: 1 });
  expect(await changes()).toBe(1);
});

test('a change is not made again when its gate loses the database after the commit', async () => {
  const gone = new GateError('service_unavailable', 'The database is away.', { retry_after_seconds: 1 });
  const told = ask(0, async (caller, remember) => {
    await changing(0)(caller, remember);
    throw gone;
  });
  await expect(told).rejects.toThrow('The database is away');
  for (const gate of [0, 1]) expect(await ask(gate, changing(gate, 9))).toEqual({ by: 0 });
  expect(await changes()).toBe(1);
});
