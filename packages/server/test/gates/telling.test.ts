/** Several gates notify people: once, in order, and even when one of them dies or stalls. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import type { Lease } from '../../src/gate/leases/lease.ts';
import { putChatHook } from '../../src/gate/notifications/chat-hook.ts';
import { openPushIdentity } from '../../src/gate/notifications/push-identity.ts';
import { notificationLog, readReminders } from '../../src/gate/notifications/read-log.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { ChatSender } from '../../src/outgoing/notifications/chat-sender.ts';
import { openReach } from '../../src/outgoing/notifications/open-reach.ts';
import { Outbox } from '../../src/outgoing/outbox/outbox.ts';
import { Outgoing } from '../../src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../src/outgoing/outgoing-addresses.ts';
import { type PostReceiver, receivePosts } from '../notifications/receive-posts.ts';
import { type Gates, openGates } from './open-gates.ts';

const HOOK = '/hook';

let t: Gates;
let posts: PostReceiver;
let tellers: { gate: GateParts; notifications: Outbox }[];
let outgoing: Outgoing;
let failures: unknown[];
beforeEach(async () => {
  t = await openGates(3, { mode: 'live' });
  posts = await receivePosts();
  failures = [];
  outgoing = new Outgoing({ allowedPrivate: readAddressRanges('127.0.0.1'), timeoutMs: 30_000 });
  tellers = t.gates.map((opened) => {
    const gate: GateParts = { ...opened.gate, reach: openReach({ configured: false }, outgoing) };
    const onError = (error: unknown) => failures.push(error);
    const senders = [new ChatSender(gate, gate.issuer, outgoing)];
    const readers = [notificationLog(gate)];
    return { gate, notifications: new Outbox(gate, { readers, senders, onError, random: () => 0.5 }) };
  });
  await putChatHook(first().gate, await t.owner.present(), {
    projectId: t.projectId,
    url: `${posts.url}${HOOK}`,
    kinds: ['waiting', 'decided'],
    minimumRiskTier: 'low',
  });
  // Delivers the notifications from before the test, so that the test sees only its own.
  await everyGate();
});
afterEach(async () => {
  outgoing.close();
  await posts.close();
  await t.close();
  expect(failures).toEqual([]);
});

function first() {
  const [teller] = tellers;
  if (!teller) throw new Error('there is no gate');
  return teller;
}

/** All gates simultaneously read the sealed events and deliver the notifications that are due. */
async function everyGate(): Promise<void> {
  await t.gate.ledger.sealNow(t.projectId);
  await Promise.all(tellers.map(({ notifications }) => notifications.runOnce()));
}

async function ask(count = 1): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, n) =>
      submitIntent(first().gate, t.agent, { action: `job.${n}`, params: { n } }),
    ),
  );
}

const waiting = () => t.gate.storage.read.countWaitingNotifications();
const sent = () => tellers.reduce((sum, { notifications }) => sum + notifications.toPeople.sent, 0);

/** Simulates a gate that died just after it took the lease. */
async function died(lease: Lease): Promise<void> {
  const now = t.clock.now();
  const until = new Date(Date.parse(now) + 30_000).toISOString();
  expect(await t.gate.storage.transaction((tx) => tx.takeLease(lease, 'dead', now, until))).toBe(true);
}

test('each event is sent once, in one message, even when all gates read and deliver at once', async () => {
  await ask(60);
  await everyGate();
  expect(await waiting()).toBe(60);
  t.clock.advance(5);
  await everyGate();
  expect(await waiting()).toBe(0);
  expect(sent()).toBe(60);
  expect(posts.received).toHaveLength(1);
});

test('a target gets messages at its own pace, whichever gate sends them', async () => {
  for (let round = 0; round < 4; round += 1) {
    await ask();
    await everyGate();
    t.clock.advance(1);
    await everyGate();
  }
  const early = posts.received.length;
  for (let second = 0; second < 30; second += 1) {
    t.clock.advance(1);
    await everyGate();
  }
  expect(early).toBeLessThan(4);
  expect(sent()).toBe(4);
  expect(await waiting()).toBe(0);
});

test('when a gate dies while reading events, another takes over and misses none', async () => {
  await died({ queue: 'log for notifications', name: t.projectId });
  await ask(3);
  await everyGate();
  expect(await waiting()).toBe(0);
  t.clock.advance(31);
  await Promise.all(tellers.map(({ notifications }) => notifications.runOnce()));
  expect(await waiting()).toBe(3);
});

test('when a gate dies while delivering, another takes over', async () => {
  await ask(3);
  await everyGate();
  await died({ queue: 'chat', name: t.projectId });
  t.clock.advance(5);
  await everyGate();
  expect(posts.received).toEqual([]);
  t.clock.advance(26);
  await everyGate();
  expect(posts.received).toHaveLength(1);
  expect(sent()).toBe(3);
});

test('no other gate takes over a slow delivery while its lease is extended', async () => {
  await ask();
  await everyGate();
  t.clock.advance(5);
  posts.answers.set(HOOK, 'nothing');
  const hanging = first().notifications.runOnce();
  await expect.poll(() => posts.received.length).toBe(1);
  t.clock.advance(20);
  await first().gate.leases.extend();
  t.clock.advance(20);
  for (const { notifications } of tellers.slice(1)) await notifications.runOnce();
  expect(posts.received).toHaveLength(1);
  posts.hangUp();
  await hanging;
});

test('a gate that stalled during a delivery undoes nothing that another has done since', async () => {
  await ask();
  await everyGate();
  t.clock.advance(5);
  posts.answers.set(HOOK, 'nothing');
  const still = first().notifications.runOnce();
  await expect.poll(() => posts.received.length).toBe(1);
  t.clock.advance(31);
  posts.answers.delete(HOOK);
  await tellers[1]?.notifications.runOnce();
  expect(sent()).toBe(1);
  posts.hangUp();
  await still;
  expect(first().notifications.toPeople).toMatchObject({ sent: 0, failed: 1 });
  expect(await waiting()).toBe(0);
  t.clock.advance(24 * 3600);
  await everyGate();
  expect(posts.received).toHaveLength(2);
});

test('due reminders are sent once, even when all gates read them at once', async () => {
  await ask(25);
  await everyGate();
  t.clock.advance(5);
  await everyGate();
  const due = await t.gate.storage.read.listDueReminders('2099-01-01T00:00:00.000Z', 100);
  expect(due).toHaveLength(25);
  const before = sent();
  t.clock.advance((Date.parse(due.at(-1)?.dueAt ?? '') - Date.parse(t.clock.now())) / 1000 + 1);
  await Promise.all(tellers.map(({ gate }) => readReminders(gate)));
  expect(await t.gate.storage.read.listDueReminders('2099-01-01T00:00:00.000Z', 100)).toEqual([]);
  t.clock.advance(60);
  await everyGate();
  const told = sent() - before;
  t.clock.advance(600);
  await everyGate();
  expect(sent() - before).toBe(told);
});

test('all gates share one key pair for push services', async () => {
  const keys = await Promise.all(tellers.map(({ gate }) => openPushIdentity(gate)));
  expect(new Set(keys.map(({ publicKey }) => publicKey)).size).toBe(1);
  expect(new Set(keys.map(({ privateKey }) => privateKey)).size).toBe(1);
});
