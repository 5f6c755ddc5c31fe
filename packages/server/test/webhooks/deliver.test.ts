/** Which events a webhook gets, in which order, and how a receiver verifies that they come from the gate. */
import { Webhook as Receiver } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { openAddress } from '../../src/gate/webhooks/address.ts';
import { dropPreviousSecrets, rotateWebhookSecret } from '../../src/gate/webhooks/rotate-secret.ts';
import { openSecrets } from '../../src/gate/webhooks/secrets.ts';
import { deleteWebhook, updateWebhook } from '../../src/gate/webhooks/update-webhook.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openWebhooks, type WebhookGate } from './open-webhooks.ts';
import { answers, type ReceivedWebhook } from './receive-webhooks.ts';
import { isGenuine } from './verify-webhook.ts';

let t: WebhookGate;
beforeEach(async () => {
  t = await openWebhooks();
});
afterEach(async () => {
  vi.useRealTimers();
  await t.close();
});

/** Verifies with our own receiver and with the official library, which must agree. */
function isFromUs(webhook: ReceivedWebhook, secret: string): boolean {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(t.clock.now()) });
  const own = isGenuine(webhook, secret, Date.parse(t.clock.now()));
  let official = true;
  try {
    new Receiver(secret).verify(webhook.text, webhook.headers as Record<string, string>);
  } catch {
    official = false;
  }
  vi.useRealTimers();
  expect(own).toBe(official);
  return own;
}
const named = (webhook: { id: string }) => ({ projectId: t.projectId, webhookId: webhook.id });
const types = (path: string) => t.endpoint.at(path).map(({ body }) => body.type);

describe('an event', () => {
  test('is sent once to each webhook that wants its type, and to no other', async () => {
    await t.hook('/all', { eventTypes: null });
    await t.hook('/denied', { eventTypes: ['intent.denied'] });
    await t.hook('/keys', { eventTypes: ['key.*'] });
    t.endpoint.received.splice(0);
    await t.askAndDeny();
    await t.send();
    await t.send();
    expect(types('/denied')).toEqual(['intent.denied']);
    expect(types('/keys')).toEqual([]);
    expect(types('/all').toSorted()).toEqual(
      [
        'webhook.created',
        'webhook.created',
        'webhook.created',
        'intent.created',
        'approval.recorded',
        'intent.denied',
      ].toSorted(),
    );
  });

  test('carries its position in the log, and no text that could contain personal data', async () => {
    const { secret } = await t.hook('/a', { eventTypes: null });
    const intentId = await t.askAndDeny();
    await t.send();
    const [event] = await t.events(t.projectId, 'intent.denied');
    const sent = t.endpoint.at('/a').find(({ body }) => body.type === 'intent.denied');
    expect(sent?.body).toEqual({
      type: 'intent.denied',
      timestamp: event?.occurredAt,
      data: {
        id: event?.id,
        seq: event?.seq,
        hash: event?.hash,
        project_id: t.projectId,
        mode: 'live',
        intent_id: intentId,
        actor: { type: 'user', id: t.owner.userId, display: null },
        details: { reason: null, rule: null },
      },
    });
    expect(sent?.headers).toMatchObject({
      'webhook-id': event?.id,
      'content-type': 'application/json',
      'user-agent': 'Permitry',
    });
    const all = JSON.stringify(t.endpoint.received.map(({ text, headers }) => [text, headers]));
    expect(all).not.toMatch(/Eve|owner@example\.org|"amount"|eyJ|prm_|whsec_/);
    expect(all).not.toContain(secret);
  });

  test('verifies at any receiver that follows the specification, unless it is altered or more than 5 minutes old', async () => {
    const { secret } = await t.hook('/a');
    await t.ask();
    await t.send();
    const [webhook] = t.endpoint.at('/a');
    if (!webhook) return expect.unreachable('nothing came');
    expect(isFromUs(webhook, secret)).toBe(true);
    expect(isFromUs({ ...webhook, text: webhook.text.replace('intent', 'Intent') }, secret)).toBe(false);
    const headers = { ...webhook.headers, 'webhook-id': 'evt_other' };
    expect(isFromUs({ ...webhook, headers }, secret)).toBe(false);
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(isFromUs(webhook, other)).toBe(false);
    t.clock.advance(301);
    expect(isFromUs(webhook, secret)).toBe(false);
  });

  test('is not sent if it happened before the webhook was created, or while it was disabled', async () => {
    await t.ask('before');
    const { webhook } = await t.hook('/a');
    await t.ask('one');
    await t.send();
    await updateWebhook(t.gate, OPERATOR, { ...named(webhook), enabled: false });
    await t.ask('two');
    await t.send();
    await updateWebhook(t.gate, OPERATOR, { ...named(webhook), enabled: true });
    await t.ask('three');
    await t.send();
    const actions = t.endpoint.at('/a').map(({ body }) => (body.data.details as { action: string }).action);
    expect(actions).toEqual(['one', 'three']);
  });
});

describe('events of one intent', () => {
  test('arrive in order, even while an earlier one is being retried', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(500));
    const stuck = await t.ask();
    await t.send();
    await decideIntent(t.gate, t.owner.caller, { intentId: stuck, decision: 'deny' });
    await t.send();
    expect(types('/a')).toEqual(['intent.created']);
    const [later, earlier] = await t.deliveries(webhook);
    expect(later).toMatchObject({
      state: 'waiting',
      dueAt: null,
      attemptCount: 0,
      eventType: 'intent.denied',
    });
    expect(earlier).toMatchObject({ state: 'waiting', attemptCount: 1, lastStatus: 500 });
    t.endpoint.behaviours.clear();
    const other = await t.ask();
    await t.send();
    // The events of another intent do not wait for this one's.
    expect(t.endpoint.at('/a').at(-1)?.body.data.intent_id).toBe(other);
    t.clock.advance(10);
    await t.send();
    const ofStuck = t.endpoint.at('/a').filter(({ body }) => body.data.intent_id === stuck);
    expect(ofStuck.map(({ body }) => body.type)).toEqual([
      'intent.created',
      'intent.created',
      'intent.denied',
    ]);
    expect(new Set(ofStuck.slice(0, 2).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('continue after an earlier one is given up', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', (response, _, { body }) => {
      response.writeHead(body.type === 'intent.created' ? 422 : 200).end('no, thank you');
    });
    await t.askAndDeny();
    for (let hour = 0; hour < 27; hour += 1) {
      await t.send();
      t.clock.advance(3600);
    }
    await t.send();
    const [later, earlier] = await t.deliveries(webhook);
    expect(earlier).toMatchObject({ state: 'failed', lastStatus: 422, lastError: 'It answered 422.' });
    expect(later).toMatchObject({ state: 'delivered', lastStatus: 200, attemptCount: 1 });
    expect(t.webhooks.toWebhooks).toMatchObject({ sent: 1, givenUp: 1 });
  });

  test('arrive in order, even for many intents at once', async () => {
    await t.hook('/a');
    await Promise.all(Array.from({ length: 40 }, () => t.askAndDeny()));
    await t.send();
    const seen = new Map<unknown, string[]>();
    for (const { body } of t.endpoint.at('/a')) {
      seen.set(body.data.intent_id, [...(seen.get(body.data.intent_id) ?? []), body.type]);
    }
    expect(seen.size).toBe(40);
    for (const order of seen.values()) expect(order).toEqual(['intent.created', 'intent.denied']);
  });
});

describe('a webhook secret', () => {
  const receive = async () => {
    await t.ask();
    await t.send();
    const webhook = t.endpoint.received.at(-1);
    if (!webhook) throw new Error('nothing came');
    return webhook;
  };

  test('still signs for a day after it is rotated, beside its successor', async () => {
    const { webhook, secret: first } = await t.hook('/a');
    const rotated = await rotateWebhookSecret(t.gate, OPERATOR, named(webhook));
    const during = await receive();
    expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect([first, rotated.secret].map((secret) => isFromUs(during, secret))).toEqual([true, true]);
    t.clock.advance(24 * 3600);
    const after = await receive();
    expect([first, rotated.secret].map((secret) => isFromUs(after, secret))).toEqual([false, true]);
  });

  test('still signs after two rotations within a day', async () => {
    const { webhook, secret: first } = await t.hook('/a');
    await rotateWebhookSecret(t.gate, OPERATOR, named(webhook));
    const { secret: third } = await rotateWebhookSecret(t.gate, OPERATOR, named(webhook));
    const sent = await receive();
    expect([first, third].map((secret) => isFromUs(sent, secret))).toEqual([true, true]);
  });

  test('stops signing at once when it is dropped, or rotated without an overlap', async () => {
    const { webhook, secret: first } = await t.hook('/a');
    const { secret: second } = await rotateWebhookSecret(t.gate, OPERATOR, named(webhook));
    await dropPreviousSecrets(t.gate, OPERATOR, named(webhook));
    const dropped = await receive();
    expect([first, second].map((secret) => isFromUs(dropped, secret))).toEqual([false, true]);
    const at = { ...named(webhook), overlapSeconds: 0 };
    const { secret: third } = await rotateWebhookSecret(t.gate, OPERATOR, at);
    const last = await receive();
    expect([second, third].map((secret) => isFromUs(last, secret))).toEqual([false, true]);
    expect(await t.events(t.projectId, 'webhook.secret_rotated', 'webhook.secret_dropped')).toHaveLength(3);
  });

  test('never appears in the database or the audit log', async () => {
    const { webhook, secret } = await t.hook('/a?token=s3cretQuery');
    const { secret: second } = await rotateWebhookSecret(t.gate, OPERATOR, named(webhook));
    await t.send();
    const kept = JSON.stringify([
      await t.find(webhook),
      await t.deliveries(webhook),
      await t.events(t.projectId),
    ]);
    for (const text of [secret, second, 's3cretQuery', 'whsec_']) expect(kept).not.toContain(text);
  });
});

test('a sealed address or secret opens only for its own webhook and project', async () => {
  const { webhook, secret } = await t.hook('/a');
  const now = t.clock.now();
  expect(openAddress(t.gate, webhook)).toBe(`${t.endpoint.url}/a`);
  expect(openSecrets(t.gate, webhook, now)).toEqual([secret]);
  for (const elsewhere of [{ id: 'whk_other' }, { projectId: 'prj_other' }]) {
    expect(openAddress(t.gate, { ...webhook, ...elsewhere })).toBeUndefined();
    expect(openSecrets(t.gate, { ...webhook, ...elsewhere }, now)).toEqual([]);
  }
});

test('a deleted webhook is sent nothing more, and its deliveries are deleted', async () => {
  const { webhook } = await t.hook('/a');
  t.endpoint.behaviours.set('/a', answers(500));
  await t.ask();
  await t.send();
  await deleteWebhook(t.gate, OPERATOR, named(webhook));
  t.endpoint.received.splice(0);
  t.clock.advance(3600);
  await t.ask();
  await t.send();
  expect(t.endpoint.received).toEqual([]);
  expect(await t.deliveries(webhook)).toEqual([]);
  expect(await t.gate.storage.read.measureWebhooks(t.clock.now())).toMatchObject({ waiting: 0 });
  expect(await t.events(t.projectId, 'webhook.deleted')).toHaveLength(1);
});
