/** Several gates on one database, some of which stop midway: no event is lost, and normally none is sent twice. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWebhooks, type WebhookGate } from './open-webhooks.ts';
import { answers, hangs } from './receive-webhooks.ts';

let t: WebhookGate;
beforeEach(async () => {
  t = await openWebhooks();
});
afterEach(() => t.close());

const ids = (path: string) => t.endpoint.at(path).map(({ headers }) => String(headers['webhook-id']));

test('several gates send each event once, in the order of its intent', async () => {
  await t.hook('/a');
  await t.hook('/b', { eventTypes: ['intent.denied'] });
  const others = [t.another(), t.another()];
  await Promise.all(Array.from({ length: 25 }, () => t.askAndDeny()));
  await t.gate.ledger.sealNow(t.projectId);
  await Promise.all([t.webhooks, ...others].map((webhooks) => webhooks.runOnce()));
  await t.send();
  expect(ids('/a')).toHaveLength(50);
  expect(new Set(ids('/a')).size).toBe(50);
  expect(new Set(ids('/b')).size).toBe(25);
  expect(ids('/b')).toHaveLength(25);
  const seen = new Map<unknown, string[]>();
  for (const { body } of t.endpoint.at('/a')) {
    seen.set(body.data.intent_id, [...(seen.get(body.data.intent_id) ?? []), body.type]);
  }
  for (const order of seen.values()) expect(order).toEqual(['intent.created', 'intent.denied']);
});

test('after a gate crashes, another gate sends its deliveries once the lease has ended', async () => {
  const { webhook } = await t.hook('/a');
  await t.askAndDeny();
  await t.gate.ledger.sealNow(t.projectId);
  t.endpoint.behaviours.set('/a', hangs);
  // This gate never records the outcome, as if it had been killed.
  const dead = t.another({ timeoutMs: 600_000 });
  void dead.runOnce().catch(() => {});
  while (t.endpoint.at('/a').length === 0) await new Promise((done) => setTimeout(done, 5));
  t.endpoint.behaviours.clear();
  await t.send();
  expect(ids('/a')).toHaveLength(1);
  t.clock.advance(21);
  await t.send();
  const types = t.endpoint.at('/a').map(({ body }) => body.type);
  expect(types).toEqual(['intent.created', 'intent.created', 'intent.denied']);
  expect(new Set(ids('/a')).size).toBe(2);
  expect(await t.deliveries(webhook, { state: 'delivered' })).toHaveLength(2);
});

test('after a gate stops, the next gate sends its unfinished deliveries at once', async () => {
  const { webhook } = await t.hook('/a');
  await t.ask();
  await t.gate.ledger.sealNow(t.projectId);
  t.endpoint.behaviours.set('/a', hangs);
  const stopping = t.another({ timeoutMs: 600_000 });
  const running = stopping.runOnce();
  while (t.endpoint.at('/a').length === 0) await new Promise((done) => setTimeout(done, 5));
  await stopping.stop();
  await running;
  const [cut] = await t.deliveries(webhook);
  expect(cut).toMatchObject({ state: 'waiting', attemptCount: 0 });
  expect(await t.find(webhook)).toMatchObject({ failures: 0 });
  t.endpoint.behaviours.clear();
  await t.send();
  expect(await t.deliveries(webhook, { state: 'delivered' })).toHaveLength(1);
});

test('a started gate sends new events by itself', async () => {
  await t.hook('/a');
  const running = t.another();
  running.start();
  await t.ask();
  while (t.endpoint.at('/a').length === 0) await new Promise((done) => setTimeout(done, 5));
  expect(ids('/a')).toHaveLength(1);
  await running.stop();
});

test('an endpoint that several gates find gone is disabled once', async () => {
  const { webhook } = await t.hook('/a');
  t.endpoint.behaviours.set('/a', answers(410));
  await Promise.all(Array.from({ length: 20 }, () => t.ask()));
  await t.gate.ledger.sealNow(t.projectId);
  await Promise.all([t.webhooks, t.another(), t.another()].map((webhooks) => webhooks.runOnce()));
  await t.send();
  expect(await t.events(t.projectId, 'webhook.disabled')).toHaveLength(1);
  expect(await t.find(webhook)).toMatchObject({ disabledReason: 'gone' });
  expect(await t.gate.storage.read.measureWebhooks(t.clock.now())).toMatchObject({ waiting: 0 });
});
