/** Notifications when a target fails, when the gate restarts, and when a request or a person is erased. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { nextAttemptAt } from '../../src/gate/kernel/backoff.ts';
import { putChatHook } from '../../src/gate/notifications/chat-hook.ts';
import { DEFAULT_PREFERENCES } from '../../src/gate/notifications/preferences.ts';
import { addPushDevice } from '../../src/gate/notifications/push-devices.ts';
import { notificationLog } from '../../src/gate/notifications/read-log.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { Outbox } from '../../src/outgoing/outbox/outbox.ts';
import { erasePerson } from '../../src/people/erase-person.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import {
  GATHERED_SECONDS,
  type NotifiedGate,
  type NotifiedOptions,
  openNotifications,
} from './open-notifications.ts';
import { softwareBrowser } from './software-browser.ts';

const HOOK = '/hook';

let t: NotifiedGate;
async function open(options: NotifiedOptions = {}): Promise<void> {
  t = await openNotifications(options);
  await putChatHook(t.gate, OPERATOR, {
    projectId: t.projectId,
    url: `${t.posts.url}${HOOK}`,
    kinds: ['waiting', 'decided'],
    minimumRiskTier: 'low',
  });
  await t.tell();
}
beforeEach(() => open());
afterEach(() => t.close());

const waiting = () => t.gate.storage.read.countWaitingNotifications();

/** Reads sealed events into the outbox without delivering anything. */
async function queue(): Promise<void> {
  await t.gate.ledger.sealNow(t.projectId);
  await t.notifications.runOnce();
}

describe('a failing target', () => {
  test('is retried less and less often for a day, and then given up', async () => {
    t.posts.answers.set(HOOK, { status: 500 });
    await t.ask('a', { expiresInSeconds: 7 * 24 * 3600 });
    await queue();
    const tries: number[] = [];
    for (let minute = 0; minute < 26 * 60; minute += 1) {
      t.clock.advance(60);
      await t.notifications.runOnce();
      if (t.posts.received.splice(0).length > 0) tries.push(minute);
    }
    const gaps = tries.slice(1).map((minute, index) => minute - (tries[index] ?? 0));
    expect(tries.length).toBeGreaterThan(20);
    expect(tries.length).toBeLessThan(40);
    expect(Math.max(...gaps)).toBe(60);
    expect(tries.at(-1)).toBeLessThanOrEqual(24 * 60);
    expect(await waiting()).toBe(0);
    expect(t.notifications.toPeople).toMatchObject({ givenUp: 1, failed: tries.length });
  });

  test('does not delay other channels', async () => {
    await t.close();
    await open({ timeoutMs: 1000 });
    t.posts.answers.set(HOOK, 'nothing');
    await t.ask();
    await queue();
    t.clock.advance(10);
    await t.notifications.runOnce();
    expect(t.mail.received).toHaveLength(1);
    expect(await t.gate.storage.read.findChatHook(t.projectId)).toMatchObject({
      lastError: 'The answer did not arrive in time.',
    });
    expect(await waiting()).toBe(1);
  });

  test('does not delay other targets of its channel', async () => {
    await t.close();
    await open({ timeoutMs: 1000 });
    t.posts.answers.set('/hangs', 'nothing');
    const session = await signedIn(t.gate, t.owner.userId);
    for (const path of ['/hangs', '/answers']) {
      const { open: _, ...address } = softwareBrowser(`${t.posts.url}${path}`);
      await addPushDevice(t.gate, await session.caller(), { label: path, ...address });
    }
    await t.ask('a');
    await queue();
    t.clock.advance(10);
    const sentTo = (path: string) => t.posts.received.filter((post) => post.path === path).length;
    const first = t.notifications.runOnce();
    // One of the two messages announced the other device.
    await expect.poll(() => sentTo('/hangs')).toBe(2);
    await expect.poll(() => sentTo('/answers')).toBe(1);
    // The first round still waits for an answer when the next one begins.
    await t.ask('b');
    await t.gate.ledger.sealNow(t.projectId);
    await t.notifications.runOnce();
    t.clock.advance(10);
    await t.notifications.runOnce();
    await expect.poll(() => sentTo('/answers')).toBe(2);
    await first;
  });

  test('is retried no sooner than its Retry-After allows', async () => {
    t.posts.answers.set(HOOK, { status: 429, headers: { 'retry-after': '600' } });
    await t.ask();
    await t.tell();
    t.posts.answers.delete(HOOK);
    t.clock.advance(500);
    await t.notifications.runOnce();
    expect(t.posts.received).toHaveLength(1);
    t.clock.advance(120);
    await t.notifications.runOnce();
    expect(t.posts.received).toHaveLength(2);
    expect(await waiting()).toBe(0);
  });

  test('cannot redirect a message to another address', async () => {
    t.posts.answers.set(HOOK, { status: 302, headers: { location: `${t.posts.url}/inside` } });
    await t.ask();
    await t.tell();
    expect(t.posts.received.map(({ path }) => path)).toEqual([HOOK]);
    expect(await waiting()).toBe(1);
  });

  test('gets a single message when it recovers, about the requests that are still pending', async () => {
    t.posts.answers.set(HOOK, { status: 503 });
    for (const action of ['a', 'b']) await t.ask(action, { expiresInSeconds: 7200 });
    await t.ask('short', { expiresInSeconds: 600 });
    await t.tell();
    t.posts.answers.delete(HOOK);
    t.clock.advance(3600);
    t.posts.received.length = 0;
    await t.notifications.runOnce();
    expect(t.posts.received).toHaveLength(1);
    expect(JSON.parse(String(t.posts.received[0]?.body)).text).toBe('2 requests need review.');
    expect(await waiting()).toBe(0);
  });
});

describe('a restart', () => {
  test('loses neither queued notifications nor events not yet read', async () => {
    await t.ask('queued');
    await queue();
    t.restart();
    await t.ask('unread');
    const mails = await t.mails();
    expect(mails).toHaveLength(1);
    expect(mails[0]?.subject).toBe('2 requests need your review');
    t.restart();
    expect(await t.mails()).toEqual([]);
  });

  test('makes an unfinished delivery due again at once, and counts no failed attempt', async () => {
    t.posts.answers.set(HOOK, 'nothing');
    await t.ask();
    await queue();
    t.clock.advance(10);
    const running = t.notifications.runOnce();
    await expect.poll(() => t.posts.received.length).toBe(1);
    await t.notifications.stop();
    await running;
    const due = await t.gate.storage.read.listDueDeliveries({
      channel: 'chat',
      now: t.clock.now(),
      limit: 10,
    });
    expect(due).toMatchObject([{ attemptCount: 0, lastError: null }]);
    expect(await t.gate.storage.read.findChatHook(t.projectId)).toMatchObject({ lastError: null });
  });

  test('makes an email due again if the mail server never answered', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    await t.close();
    await open({ smtpUrl: `smtp://127.0.0.1:${port}` });
    await t.ask();
    await queue();
    t.clock.advance(GATHERED_SECONDS);
    const connected = once(silent, 'connection');
    t.notifications.start();
    await connected;
    await t.notifications.stop();
    const due = await t.gate.storage.read.listDueDeliveries({
      channel: 'mail',
      now: t.clock.now(),
      limit: 10,
    });
    expect(due).toMatchObject([{ attemptCount: 0, lastError: null }]);
  });

  test('sends nothing about events that are more than a day old', async () => {
    await t.ask('old', { expiresInSeconds: 7 * 24 * 3600 });
    await t.gate.ledger.sealNow(t.projectId);
    t.clock.advance(25 * 3600);
    t.restart();
    expect(await t.mails()).toEqual([]);
  });
});

test('a started outbox delivers notifications of newly sealed events by itself', async () => {
  t.notifications.start();
  // The first pass over all projects is over; events sealed from here on are delivered without a further call.
  await new Promise((done) => setTimeout(done, 100));
  await t.ask();
  await t.gate.ledger.sealNow(t.projectId);
  await expect.poll(waiting).toBe(2);
  t.clock.advance(10);
  await expect.poll(waiting).toBe(0);
  expect(t.posts.received.map(({ path }) => path)).toEqual([HOOK]);
  await t.notifications.stop();
});

test('a project whose log cannot be read does not delay the others, and is read later', async () => {
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'test',
    ownerEmail: 'bob@example.org',
  });
  const unreadable = new Set([t.projectId]);
  const read: string[] = [];
  const leases: GateParts['leases'] = Object.assign(Object.create(t.gate.leases), {
    hold: async (lease: { name: string }, work: () => Promise<unknown>) => {
      if (unreadable.has(lease.name)) throw new Error('it cannot be read');
      read.push(lease.name);
      return work();
    },
  });
  const reported: string[] = [];
  const outbox = new Outbox(t.gate, {
    readers: [notificationLog({ ...t.gate, leases })],
    senders: [],
    onError: (error, what) => reported.push(`${what}: ${error}`),
  });
  await t.ask();
  for (const id of [t.projectId, project.id]) await t.gate.ledger.sealNow(id);
  await outbox.runOnce();
  expect(reported).toEqual([
    `the log of ${t.projectId} could not be read for notifications: Error: it cannot be read`,
  ]);
  expect(read).toContain(project.id);
  unreadable.clear();
  await outbox.runOnce();
  expect(read).toContain(t.projectId);
  expect(reported).toHaveLength(1);
});

test('two outboxes that read at once notify nobody twice', async () => {
  await Promise.all(Array.from({ length: 30 }, (_, n) => t.ask(`job.${n}`)));
  await t.gate.ledger.sealNow(t.projectId);
  const first = t.notifications;
  t.restart();
  await Promise.all([first.runOnce(), t.notifications.runOnce()]);
  expect(await waiting()).toBe(60);
  const [mail, ...others] = await t.mails();
  expect(others).toEqual([]);
  expect(mail?.subject).toBe('30 requests need your review');
});

test('the list of notified people is deleted once the request is decided, and finished deliveries are deleted by age', async () => {
  const id = await t.ask();
  await t.tell();
  expect(await t.gate.storage.read.listNotifiedPeople(id)).toEqual([t.owner.userId]);
  await decideIntent(t.gate, t.owner.caller, { intentId: id, decision: 'deny' });
  await t.tell();
  expect(await t.gate.storage.read.listNotifiedPeople(id)).toEqual([]);
  const before = t.clock.now();
  t.clock.advance(1);
  const deleted = (until: string) =>
    t.gate.storage.transaction((tx) => tx.deleteDoneDeliveries('chat', until, 100));
  expect(await deleted('2026-01-01T00:00:00.000Z')).toBe(0);
  expect(await deleted(t.clock.now())).toBeGreaterThan(0);
  expect(await deleted(before)).toBe(0);
});

describe('erasing', () => {
  test('a request deletes its queued notifications', async () => {
    const bob = await t.addPerson('bob@example.org', 'approver');
    const id = await t.ask('a', {}, t.secret);
    await t.tell();
    await decideIntent(t.gate, bob.caller, { intentId: id, decision: 'deny', reason: 'secret reason' });
    await queue();
    // The owner's email and the chat message.
    expect(await waiting()).toBe(2);
    await eraseIntent(t.gate, OPERATOR, { projectId: t.projectId, intentId: id });
    expect(await waiting()).toBe(0);
    const mails = t.mail.received.length;
    t.posts.received.length = 0;
    await t.tell();
    expect(t.mail.received).toHaveLength(mails);
    expect(t.posts.received).toEqual([]);
  });

  test('a person deletes their preferences, devices and queued notifications', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const session = await signedIn(t.gate, ann.userId);
    const { open: _, ...address } = softwareBrowser(`${t.posts.url}/phone`);
    await addPushDevice(t.gate, await session.caller(), { label: 'Phone of Ann', ...address });
    await t.gate.storage.transaction((tx) =>
      tx.savePreferences(ann.userId, DEFAULT_PREFERENCES, t.clock.now()),
    );
    await t.ask();
    await queue();
    const before = await waiting();
    await removeMember(t.gate, OPERATOR, { projectId: t.projectId, userId: ann.userId });
    await erasePerson(t.gate, OPERATOR, { projectId: t.projectId, person: ann.email });
    expect(await waiting()).toBe(before - 2);
    expect(await t.gate.storage.read.listPushSubscriptions(ann.userId)).toEqual([]);
    expect(await t.gate.storage.read.findPreferences(ann.userId)).toBeUndefined();
    const sent = t.mail.received.length;
    await t.tell();
    expect(t.mail.received.slice(sent).map(({ recipients }) => recipients[0])).toEqual([t.owner.email]);
  });
});

test('retry intervals grow, vary at random, and stop after a day', () => {
  const createdAt = '2026-11-20T12:00:00.000Z';
  const at = (attempts: number, random: number, now = createdAt, least = 0) =>
    nextAttemptAt({ createdAt, attempts }, now, random, { firstSeconds: 15, atLeastSeconds: least });
  expect(at(0, 0)).toBe('2026-11-20T12:00:07.500Z');
  expect(at(0, 1)).toBe('2026-11-20T12:00:22.500Z');
  expect(at(3, 0.5)).toBe('2026-11-20T12:02:00.000Z');
  expect(at(60, 0.5)).toBe('2026-11-20T13:00:00.000Z');
  expect(at(0, 0.5, createdAt, 600)).toBe('2026-11-20T12:10:00.000Z');
  expect(at(9, 0.5, '2026-11-21T11:30:00.000Z')).toBeNull();
});
