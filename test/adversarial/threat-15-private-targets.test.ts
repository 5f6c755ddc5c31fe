/**
 * Threat 15: a chat hook, push service or webhook may later lead into the private network, by rebinding or by a
 * redirect. The gate never connects there. `packages/server/test/outgoing/outgoing.test.ts` covers how the guard rates
 * addresses.
 */
import { createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { putChatHook, testChatHook } from '../../packages/server/src/gate/notifications/chat-hook.ts';
import { testOwnChannels } from '../../packages/server/src/gate/notifications/own-channels.ts';
import { addPushDevice } from '../../packages/server/src/gate/notifications/push-devices.ts';
import { createWebhook } from '../../packages/server/src/gate/webhooks/create-webhook.ts';
import { testWebhook } from '../../packages/server/src/gate/webhooks/request-deliveries.ts';
import { deleteWebhook } from '../../packages/server/src/gate/webhooks/update-webhook.ts';
import type { GateParts } from '../../packages/server/src/open-gate.ts';
import { ChatSender } from '../../packages/server/src/outgoing/notifications/chat-sender.ts';
import { openReach } from '../../packages/server/src/outgoing/notifications/open-reach.ts';
import { PushSender } from '../../packages/server/src/outgoing/notifications/push-sender.ts';
import { Outbox } from '../../packages/server/src/outgoing/outbox/outbox.ts';
import { Outgoing } from '../../packages/server/src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../packages/server/src/outgoing/outgoing-addresses.ts';
import { WebhookSender } from '../../packages/server/src/outgoing/webhooks/webhook-sender.ts';
import { OPERATOR, openTestGate, type TestGate } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { type PostReceiver, receivePosts } from '../../packages/server/test/notifications/receive-posts.ts';
import { softwareBrowser } from '../../packages/server/test/notifications/software-browser.ts';

let t: TestGate;
let owner: SignedIn;
/** A server on this machine, at which no request may ever arrive. */
let inside: PostReceiver;
let port: number;
let listener: Server;
let connections = 0;
let answers: readonly string[] = [];

beforeAll(async () => {
  t = await openTestGate({ mode: 'live' });
  owner = await signedIn(t.gate, t.owner.userId);
  inside = await receivePosts();
  listener = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  port = (listener.address() as { port: number }).port;
});
afterAll(async () => {
  await new Promise((done) => listener.close(done));
  await inside.close();
  await t.close();
});
beforeEach(() => {
  connections = 0;
  answers = [];
});

function reaching(outgoing: Outgoing): { gate: GateParts; notifications: Outbox; webhooks: Outbox } {
  const gate: GateParts = { ...t.gate, reach: openReach({ configured: false }, outgoing) };
  const senders = [
    new ChatSender(gate, gate.issuer, outgoing),
    new PushSender(gate, gate.issuer, outgoing, null),
  ];
  const onError = (error: unknown): never => {
    throw error;
  };
  return {
    gate,
    notifications: new Outbox(gate, { readers: [], senders, onError }),
    webhooks: new Outbox(gate, { readers: [], senders: [new WebhookSender(gate, outgoing)], onError }),
  };
}

/** The default guard. Names resolve to the current value of `answers`. */
const guarded = () =>
  reaching(new Outgoing({ allowedPrivate: [], resolve: async () => answers, timeoutMs: 30_000 }));

const hookTo = (gate: GateParts, url: string) =>
  putChatHook(gate, OPERATOR, { projectId: t.projectId, url, kinds: [], minimumRiskTier: 'low' });
const deviceAt = async (gate: GateParts, endpoint: string) => {
  const { open: _, ...address } = softwareBrowser(endpoint);
  return addPushDevice(gate, await owner.caller(), { label: 'Phone', ...address });
};

const webhookTo = (gate: GateParts, url: string) =>
  createWebhook(gate, OPERATOR, { projectId: t.projectId, url, eventTypes: ['key.revoked'] });
const named = (webhookId: string) => ({ projectId: t.projectId, webhookId });
/** The result of the latest delivery to the webhook. */
const latest = async (webhookId: string) =>
  (await t.gate.storage.read.listDeliveries({ ...named(webhookId), limit: 1 }))[0];

describe('a chat hook or a push device', () => {
  test.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['169.254.169.254']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['93.184.215.14', '127.0.0.1']],
  ])('is not connected to when its name has come to lead into a private network: %j', async (leadsTo) => {
    const { gate, notifications } = guarded();
    answers = ['93.184.215.14'];
    await hookTo(gate, `https://hooks.example.com:${port}/x`);
    const device = await deviceAt(gate, `https://push.example.com:${port}/x`);
    answers = leadsTo;
    await testChatHook(gate, OPERATOR, t.projectId);
    await testOwnChannels(gate, await owner.caller());
    t.clock.advance(10);
    await notifications.runOnce();
    expect(connections).toBe(0);
    expect(await gate.storage.read.findChatHook(t.projectId)).toMatchObject({
      lastError: 'The host leads into a private network.',
    });
    expect(await gate.storage.read.countWaitingNotifications()).toBeGreaterThanOrEqual(2);
    await gate.storage.transaction(async (tx) => {
      await tx.deletePushSubscription(device.id);
      await tx.deleteChatHook(t.projectId);
    });
  });
});

describe('a webhook', () => {
  test.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['169.254.169.254']],
    [['::1']],
    [['fe80::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['2002:7f00:1::']],
    [['93.184.215.14', '127.0.0.1']],
  ])('is not connected to when its name has come to lead into a private network: %j', async (leadsTo) => {
    const { gate, webhooks } = guarded();
    answers = ['93.184.215.14'];
    const { webhook } = await webhookTo(gate, `https://hooks.example.com:${port}/x`);
    answers = leadsTo;
    await testWebhook(gate, OPERATOR, named(webhook.id));
    await webhooks.runOnce();
    expect(connections).toBe(0);
    expect(await latest(webhook.id)).toMatchObject({
      state: 'waiting',
      attemptCount: 1,
      lastError: 'The host leads into a private network.',
    });
    await deleteWebhook(gate, OPERATOR, named(webhook.id));
  });

  test('has its name looked up once for each attempt, and the gate connects to that address', async () => {
    let asked = 0;
    // The first look-up returns an allowed address, and the second a private one.
    const rebinding = new Outgoing({
      allowedPrivate: readAddressRanges('127.0.0.1'),
      resolve: async () => {
        asked += 1;
        return asked % 2 === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
      },
      timeoutMs: 30_000,
    });
    const { gate, webhooks } = reaching(rebinding);
    const { webhook } = await webhookTo(gate, `https://hooks.example.com:${port}/x`);
    await testWebhook(gate, OPERATOR, named(webhook.id));
    await webhooks.runOnce();
    expect(asked).toBe(1);
    expect(connections).toBe(1);
    await deleteWebhook(gate, OPERATOR, named(webhook.id));
  });
});

test('a webhook does not follow a redirect into the private network', async () => {
  const outside = await receivePosts();
  const allowed = new Outgoing({ allowedPrivate: readAddressRanges('127.0.0.1'), timeoutMs: 30_000 });
  const { gate, webhooks } = reaching(allowed);
  const { webhook } = await webhookTo(gate, `${outside.url}/hook`);
  for (const status of [301, 302, 303, 307, 308]) {
    outside.answers.set('/hook', { status, headers: { location: `${inside.url}/admin` } });
    await testWebhook(gate, OPERATOR, named(webhook.id));
    await webhooks.runOnce();
    expect(await latest(webhook.id)).toMatchObject({ state: 'waiting', lastStatus: status });
  }
  expect(outside.received).toHaveLength(5);
  expect(inside.received).toEqual([]);
  await deleteWebhook(gate, OPERATOR, named(webhook.id));
  await outside.close();
});

test('a chat hook does not follow a redirect into the private network', async () => {
  const outside = await receivePosts();
  // The one allowed address represents the outside world.
  const outgoing = new Outgoing({ allowedPrivate: readAddressRanges('127.0.0.1'), timeoutMs: 30_000 });
  const { gate, notifications } = reaching(outgoing);
  for (const status of [301, 302, 303, 307, 308]) {
    outside.answers.set('/hook', { status, headers: { location: `${inside.url}/admin` } });
    await hookTo(gate, `${outside.url}/hook`);
    await testChatHook(gate, OPERATOR, t.projectId);
    t.clock.advance(10);
    await notifications.runOnce();
  }
  expect(outside.received).toHaveLength(5);
  expect(inside.received).toEqual([]);
  expect(await gate.storage.read.findChatHook(t.projectId)).toMatchObject({
    lastError: 'The chat answered 308.',
  });
  await outside.close();
});

test('the address of a chat hook is in no answer, event or error', async () => {
  const { gate, notifications } = guarded();
  answers = ['10.0.0.1'];
  const shown = await hookTo(gate, 'https://hooks.example.com/services/s3cretTOKEN');
  await testChatHook(gate, OPERATOR, t.projectId);
  t.clock.advance(10);
  await notifications.runOnce();
  const hook = await gate.storage.read.findChatHook(t.projectId);
  const events = await t.events(t.projectId, 'chat_hook.updated');
  expect(JSON.stringify([shown, hook, events])).not.toContain('s3cret');
});
