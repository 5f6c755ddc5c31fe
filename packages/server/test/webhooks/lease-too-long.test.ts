/**
 * A gate is suspended while it holds leased deliveries, and resumes long after other gates have sent these deliveries.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LeasedDelivery } from '../../src/gate/outbox/delivery.ts';
import { type Fate, settleDeliveries } from '../../src/gate/outbox/settle-deliveries.ts';
import { fillDeliveries } from '../../src/gate/webhooks/fill-deliveries.ts';
import type { Webhook } from '../../src/gate/webhooks/webhook.ts';
import { Outgoing } from '../../src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../src/outgoing/outgoing-addresses.ts';
import { WebhookSender } from '../../src/outgoing/webhooks/webhook-sender.ts';
import { openWebhooks, type WebhookGate } from './open-webhooks.ts';

let t: WebhookGate;
let client: Outgoing;
let sender: WebhookSender;
afterEach(async () => {
  client.close();
  await t.close();
});

const types = () => t.endpoint.at('/a').map(({ body }) => body.type);

async function takeAll(webhook: Webhook): Promise<LeasedDelivery[]> {
  let taken: LeasedDelivery[] = [];
  await sender.take(webhook, 8, async (parcels) => {
    taken = parcels.flat();
  });
  return taken;
}

/** Settles as the holder of a lease does, even if the lease has ended. */
async function settle(delivery: LeasedDelivery) {
  const retries = { firstRetrySeconds: 5, random: 0.5 };
  const [settled] = await settleDeliveries(t.gate, new Map([[delivery, took]]), retries);
  return settled;
}

async function take(webhook: Webhook): Promise<LeasedDelivery> {
  const [leased, ...more] = await takeAll(webhook);
  if (!leased || more.length > 0) throw new Error('one delivery was to be due');
  return leased;
}

/** Takes the first delivery of an intent, while its second waits behind it. */
async function takeFirst(webhook: Webhook): Promise<LeasedDelivery> {
  await t.askAndDeny();
  await t.gate.ledger.sealNow(t.projectId);
  while ((await fillDeliveries(t.gate, t.projectId)) === 'more');
  return take(webhook);
}

const took: Fate = {
  kind: 'delivered',
  at: '2026-11-20T12:00:00.000Z',
  durationMs: 5,
  status: 204,
  error: null,
};

beforeEach(async () => {
  t = await openWebhooks();
  client = new Outgoing({ allowedPrivate: readAddressRanges('127.0.0.1') });
  sender = new WebhookSender(t.gate, client);
});

test('a gate that resumes after its lease has ended does not resend what another gate sent, so events stay in order', async () => {
  const { webhook } = await t.hook('/a');
  const leased = await takeFirst(webhook);
  t.clock.advance(21);
  await t.send();
  expect(types()).toEqual(['intent.created', 'intent.denied']);
  expect(await sender.send(webhook, [leased])).toEqual({ answer: null });
  expect(types()).toEqual(['intent.created', 'intent.denied']);
});

test('a gate that starts too late to finish within its lease sends nothing, and the next gate sends the delivery', async () => {
  const { webhook } = await t.hook('/a');
  const leased = await takeFirst(webhook);
  t.clock.advance(5);
  expect(await sender.send(webhook, [leased])).toEqual({ answer: null });
  expect(types()).toEqual([]);
  t.clock.advance(16);
  await t.send();
  expect(types()).toEqual(['intent.created', 'intent.denied']);
});

test('a delivery that was leased again is not settled by the outcome of its first lease', async () => {
  const { webhook } = await t.hook('/a');
  const first = await takeFirst(webhook);
  t.clock.advance(21);
  const second = await take(webhook);
  expect(second.id).toBe(first.id);
  expect(await settle(first)).toBe('lost');
  expect(await takeAll(webhook)).toEqual([]);
  expect(await settle(second)).toBe('delivered');
  await t.send();
  expect(types()).toEqual(['intent.denied']);
});
