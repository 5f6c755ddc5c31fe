/** While nothing can be written (a full disk), reads still show an intent as expired once its time is over. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listIntents } from '../../src/gate/intents/list.ts';
import { readIntent } from '../../src/gate/intents/read.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { GateError } from '../../src/gate/kernel/errors.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let t: TestGate;
/** The same gate while its disk is full. */
let full: GateParts;
let id: string;
beforeEach(async () => {
  t = await openTestGate({ mode: 'test' });
  const refuse = () =>
    Promise.reject(new GateError('service_unavailable', 'No space.', { retry_after_seconds: 1 }));
  full = { ...t.gate, storage: { ...t.gate.storage, transaction: refuse } };
  const { intent } = await submitIntent(t.gate, t.agent, {
    action: 'deploy',
    params: {},
    expiresInSeconds: 60,
  });
  id = intent.id;
  t.clock.advance(61);
});
afterEach(() => t.close());

it('while nothing can be written, a read shows an intent as expired, in the same words as later', async () => {
  const { intent: during } = await readIntent(full, t.agent, id);
  expect(during).toMatchObject({ status: 'expired', resolvedAt: during.expiresAt });
  expect(await t.events(t.projectId, 'intent.expired')).toEqual([]);
  const { intent: after } = await readIntent(t.gate, t.agent, id);
  expect(during).toEqual(after);
  expect(await t.events(t.projectId, 'intent.expired')).toHaveLength(1);
});

it('while nothing can be written, a list of everything shows an intent as expired, and a list by status is refused', async () => {
  const { items } = await listIntents(full, t.secret, {});
  expect(items.map(({ intent }) => [intent.id, intent.status])).toEqual([[id, 'expired']]);
  for (const status of ['pending', 'expired', 'resolved'] as const) {
    expect(await refusalOf(listIntents(full, t.secret, { status }))).toMatchObject({
      code: 'service_unavailable',
    });
  }
});
