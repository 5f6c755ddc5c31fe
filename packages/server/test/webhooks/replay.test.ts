/** Replays of one delivery or of a range of the log, and what they leave out. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { readPayload } from '../../src/gate/webhooks/payload.ts';
import { replayRange } from '../../src/gate/webhooks/replay-range.ts';
import { replayDelivery } from '../../src/gate/webhooks/request-deliveries.ts';
import { updateWebhook } from '../../src/gate/webhooks/update-webhook.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openWebhooks, type WebhookGate } from './open-webhooks.ts';
import { answers } from './receive-webhooks.ts';

let t: WebhookGate;
beforeEach(async () => {
  t = await openWebhooks();
});
afterEach(() => t.close());

const named = ({ id }: { id: string }) => ({ projectId: t.projectId, webhookId: id });
const seqs = () => t.endpoint.received.splice(0).map(({ body }) => body.data.seq);

describe('a delivery', () => {
  test('is replayed under the same event ID, and both deliveries are listed', async () => {
    const { webhook } = await t.hook('/a');
    await t.ask();
    await t.send();
    const [first] = await t.deliveries(webhook);
    const at = { ...named(webhook), deliveryId: first?.id ?? '' };
    const again = await replayDelivery(t.gate, OPERATOR, at);
    expect(again).toMatchObject({ kind: 'replay', causeId: first?.causeId, state: 'waiting' });
    await t.send();
    const ids = t.endpoint.at('/a').map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([first?.causeId, first?.causeId]);
    const [replay, original] = t.endpoint.at('/a').map(({ text }) => text);
    expect(replay).toBe(original);
    expect(await t.deliveries(webhook, { state: 'delivered' })).toHaveLength(2);
  });

  test('can be replayed after it failed, but not while it waits to be sent', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(410));
    await t.ask();
    await t.send();
    const [failed] = await t.deliveries(webhook);
    const at = { ...named(webhook), deliveryId: failed?.id ?? '' };
    await expect(replayDelivery(t.gate, OPERATOR, at)).rejects.toMatchObject({ code: 'conflict' });
    await updateWebhook(t.gate, OPERATOR, { ...named(webhook), enabled: true });
    t.endpoint.behaviours.clear();
    const again = await replayDelivery(t.gate, OPERATOR, at);
    const waiting = { ...named(webhook), deliveryId: again.id };
    await expect(replayDelivery(t.gate, OPERATOR, waiting)).rejects.toMatchObject({
      code: 'conflict',
    });
    await t.send();
    expect((await t.deliveries(webhook)).map(({ state }) => state)).toEqual(['delivered', 'failed']);
  });
});

describe('replaying a range', () => {
  test('sends the events that a webhook missed, of the types it wants, oldest first', async () => {
    await t.ask('missed');
    t.clock.advance(60);
    const { webhook } = await t.hook('/a', { eventTypes: ['intent.created'] });
    await t.askAndDeny('heard');
    await t.send();
    expect(seqs()).toHaveLength(1);
    const replay = await replayRange(t.gate, OPERATOR, { ...named(webhook), afterSeq: 0 });
    expect(replay).toMatchObject({ queued: 2, nextAfterSeq: null });
    await t.send();
    const [first, second, ...others] = seqs() as number[];
    expect(others).toEqual([]);
    expect(first).toBeLessThan(second ?? 0);
    expect(await t.deliveries(webhook, { replayId: replay.id, state: 'delivered' })).toHaveLength(2);
  });

  test('stays within the given times or positions', async () => {
    const { webhook } = await t.hook('/a', { eventTypes: ['intent.created'] });
    const times: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      times.push(t.clock.now());
      await t.ask();
      t.clock.advance(60);
    }
    await t.send();
    const all = seqs() as number[];
    const replay = async (range: object) => {
      await replayRange(t.gate, OPERATOR, { ...named(webhook), ...range });
      await t.send();
      return seqs();
    };
    expect(await replay({ from: times[1], to: times[3] })).toEqual(all.slice(1, 3));
    expect(await replay({ from: times[4] })).toEqual(all.slice(4));
    expect(await replay({ afterSeq: all[2] })).toEqual(all.slice(3));
    expect(await replay({ afterSeq: all[0], to: times[2] })).toEqual(all.slice(1, 2));
    expect(await replay({ from: times[0], eventTypes: ['intent.denied'] })).toEqual([]);
  });

  test('stops after a thousand events, and says where to continue', async () => {
    const { webhook } = await t.hook('/a', { eventTypes: ['key.*'] });
    await Promise.all(
      Array.from({ length: 1005 }, () =>
        submitIntent(t.gate, t.agent, { action: 'payments.refund', params: {} }),
      ),
    );
    const range = { ...named(webhook), eventTypes: ['intent.created'] };
    const first = await replayRange(t.gate, OPERATOR, { ...range, afterSeq: 0 });
    expect(first.queued).toBe(1000);
    const afterSeq = first.nextAfterSeq ?? -1;
    const rest = await replayRange(t.gate, OPERATOR, { ...range, afterSeq });
    expect(rest).toMatchObject({ queued: 5, nextAfterSeq: null });
    const queue = await t.gate.storage.read.measureWebhooks(t.clock.now());
    expect(queue).toMatchObject({ waiting: 1005 });
  });
});

test('repeated replays are rate limited once too many deliveries are waiting', async () => {
  const { webhook } = await t.hook('/a');
  await Promise.all(Array.from({ length: 500 }, () => t.ask()));
  await t.gate.ledger.sealNow(t.projectId);
  const range = { ...named(webhook), afterSeq: 0 };
  const outcomes: string[] = [];
  for (let n = 0; n < 30 && outcomes.at(-1) !== 'rate_limited'; n += 1) {
    const outcome = replayRange(t.gate, OPERATOR, range);
    outcomes.push(
      await outcome.then(
        ({ queued }) => String(queued),
        ({ code }: { code: string }) => code,
      ),
    );
  }
  expect(outcomes).toEqual([...Array.from({ length: 21 }, () => '500'), 'rate_limited']);
  const kept = await t.deliveries(webhook, { limit: 20_000 });
  expect(kept).toHaveLength(10_500);
  const events = await t.events(t.projectId, 'webhook.replayed');
  expect(events).toHaveLength(21);
});

test('the source that a service reports is not sent, and the stored payload equals the one sent', async () => {
  const { webhook } = await t.hook('/a', { eventTypes: ['intent.created'] });
  const request = { action: 'payments.refund', params: {}, source: 'Eve Evans' };
  await submitIntent(t.gate, t.secret, request);
  await t.send();
  const [sent] = t.endpoint.at('/a');
  expect(sent?.body.data.details).toMatchObject({ action: 'payments.refund', source: null });
  expect(sent?.text).not.toContain('Eve');
  const [delivery] = await t.deliveries(webhook);
  const full = await t.gate.storage.read.findDelivery(t.projectId, webhook.id, delivery?.id ?? '');
  if (!full) return expect.unreachable('nothing was kept');
  expect(await readPayload(t.gate, t.projectId, full)).toEqual(sent?.body);
});

test('erasing an intent removes its texts from stored deliveries and replays', async () => {
  const { webhook } = await t.hook('/a', { eventTypes: null });
  const intentId = await t.askAndDeny();
  await t.send();
  await eraseIntent(t.gate, OPERATOR, { projectId: t.projectId, intentId });
  t.endpoint.received.splice(0);
  await replayRange(t.gate, OPERATOR, { ...named(webhook), afterSeq: 0, eventTypes: ['intent.*'] });
  await t.send();
  const denied = t.endpoint.received.find(({ body }) => body.type === 'intent.denied');
  expect(denied?.body.data).toMatchObject({ intent_id: intentId, details: { reason: null } });
  expect(JSON.stringify(await t.deliveries(webhook))).not.toMatch(/Eve|owner@/);
});
