/** Endpoints that hang, reset, refuse, drip, flood or are missing only affect their own deliveries. */
import { createServer as createTcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { createWebhook } from '../../src/gate/webhooks/create-webhook.ts';
import { testWebhook } from '../../src/gate/webhooks/request-deliveries.ts';
import { updateWebhook } from '../../src/gate/webhooks/update-webhook.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openWebhooks, type WebhookGate } from './open-webhooks.ts';
import { answers, type Behaviour, drips, floods, hangs, resets } from './receive-webhooks.ts';

let t: WebhookGate;
beforeEach(async () => {
  t = await openWebhooks();
});
afterEach(() => t.close());

const latest = async (webhook: { id: string }) => {
  const [summary] = await t.deliveries(webhook);
  const found = summary && (await t.gate.storage.read.findDelivery(t.projectId, webhook.id, summary.id));
  if (!found) throw new Error('nothing was kept for it');
  return found;
};

/**
 * Runs a deliverer once, with a short limit that affects only this behaviour, so that others have the time they need.
 */
async function sendImpatiently(behaviour: Behaviour): Promise<void> {
  await t.gate.ledger.sealNow(t.projectId);
  await t.another(behaviour === hangs ? { timeoutMs: 2000 } : { mostAnswerMs: 50 }).runOnce();
}

describe('an attempt', () => {
  test.each<[string, Behaviour, number | null, string]>([
    ['that hangs', hangs, null, 'The answer did not arrive in time.'],
    ['that is reset', resets, null, 'The connection failed (ECONNRESET).'],
    ['that is answered 500', answers(500), 500, 'It answered 500.'],
    ['that is answered 404', answers(404), 404, 'It answered 404.'],
    ['that is answered 500 with a slow body', drips(500), 500, 'It answered 500.'],
    ['that is answered 500 with an endless body', floods(500), 500, 'It answered 500.'],
  ])('%s is retried later', async (_, behaviour, status, error) => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', behaviour);
    await t.ask();
    await sendImpatiently(behaviour);
    const failed = await latest(webhook);
    expect(failed).toMatchObject({ state: 'waiting', attemptCount: 1, lastStatus: status, lastError: error });
    expect(failed.dueAt).toBe('2026-11-20T12:00:05.000Z');
    t.endpoint.behaviours.clear();
    t.clock.advance(5);
    await t.send();
    expect(await latest(webhook)).toMatchObject({ state: 'delivered', attemptCount: 2, lastStatus: 204 });
    expect((await latest(webhook)).attempts.map(({ error: why }) => why)).toEqual([error, null]);
  });

  test.each<[string, Behaviour]>([
    ['slow', drips(200)],
    ['endless', floods(200)],
  ])('that is answered 200 succeeds, even if the body is %s', async (_, behaviour) => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', behaviour);
    await t.ask();
    await sendImpatiently(behaviour);
    const delivered = await latest(webhook);
    expect(delivered).toMatchObject({ state: 'delivered', lastStatus: 200 });
    expect(delivered.attempts[0]?.response?.length).toBeLessThan(600);
  });

  test.each([301, 302, 303, 307, 308])('that is answered %i does not follow the redirect', async (status) => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(status, { location: `${t.endpoint.url}/admin` }));
    await t.ask();
    await t.send();
    expect(t.endpoint.at('/admin')).toEqual([]);
    expect(await latest(webhook)).toMatchObject({
      state: 'waiting',
      lastError: `It answered ${status}; redirects are not followed.`,
    });
  });

  test('to an HTTPS address sends nothing if the server does not speak TLS', async () => {
    let read = '';
    const plain = createTcpServer((socket) => {
      socket.on('data', (part) => {
        read += part.toString('latin1');
        socket.end('HTTP/1.1 200 OK\r\n\r\n');
      });
      socket.on('error', () => {});
    });
    await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done));
    const { port } = plain.address() as { port: number };
    const { webhook } = await t.hook('/', { url: `https://127.0.0.1:${port}/` });
    await t.ask();
    await t.send();
    expect(await latest(webhook)).toMatchObject({
      state: 'waiting',
      lastError: expect.stringMatching(/^The connection failed/),
    });
    expect(read).not.toContain('webhook-id');
    await new Promise((done) => plain.close(done));
  });

  test('is not retried before the time in Retry-After', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(429, { 'retry-after': '120' }));
    await t.ask();
    await t.send();
    expect((await latest(webhook)).dueAt).toBe('2026-11-20T12:02:00.000Z');
  });

  test('keeps the start of the answer, and makes its invisible characters visible', async () => {
    const { webhook } = await t.hook('/a');
    const body = `<b>no</b>\u202Eexe.\u0000\n${'x'.repeat(3000)}`;
    t.endpoint.behaviours.set('/a', answers(500, {}, body));
    await t.ask();
    await t.send();
    const [attempt] = (await latest(webhook)).attempts;
    expect(attempt?.response).toMatch(/^<b>no<\/b>⟨U\+202E⟩exe\.⟨U\+0000⟩⟨U\+000A⟩x+ ⟨\d+ more characters⟩$/);
    expect(attempt?.response?.length).toBeLessThan(600);
  });
});

describe('an endpoint that answers 410', () => {
  test('is disabled at once, with a reason that admins can read, and its pending deliveries fail', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(410));
    await t.askAndDeny();
    await t.send();
    expect(await t.find(webhook)).toMatchObject({ disabledReason: 'gone', disabledAt: t.clock.now() });
    const states = (await t.deliveries(webhook)).map(({ state, lastError }) => [state, lastError]);
    expect(states).toEqual([
      ['failed', 'The webhook was disabled.'],
      ['failed', 'It answered 410.'],
    ]);
    const [event, ...others] = await t.events(t.projectId, 'webhook.disabled');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      actor: { type: 'system' },
      data: { webhook_id: webhook.id, host: webhook.host, reason: 'gone' },
    });
    await t.ask();
    await t.send();
    expect(t.endpoint.at('/a')).toHaveLength(1);
  });
});

describe('an endpoint that keeps failing', () => {
  const failForADay = async () => {
    for (let hour = 0; hour < 24; hour += 4) {
      await t.send();
      t.clock.advance(4 * 3600);
    }
  };

  test('is not called for a while after five failures in a row, and then gets one attempt', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(500));
    await Promise.all(Array.from({ length: 30 }, () => t.ask()));
    await t.send();
    // Only the deliveries that were under way simultaneously, not all thirty.
    const first = t.endpoint.received.length;
    expect(first).toBeGreaterThanOrEqual(5);
    expect(first).toBeLessThanOrEqual(16);
    expect(await t.find(webhook)).toMatchObject({ openUntil: '2026-11-20T12:00:15.000Z' });
    t.clock.advance(14);
    await t.send();
    expect(t.endpoint.received).toHaveLength(first);
    t.clock.advance(1);
    await t.send();
    expect(t.endpoint.received).toHaveLength(first + 1);
    t.endpoint.behaviours.clear();
    t.clock.advance(600);
    await t.send();
    expect(await t.find(webhook)).toMatchObject({ failures: 0, failingSince: null, openUntil: null });
    expect((await t.deliveries(webhook, { state: 'delivered' })).length).toBe(30);
  });

  test('is called at once when a test is requested', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(500));
    await Promise.all(Array.from({ length: 8 }, () => t.ask()));
    await t.send();
    expect((await t.find(webhook)).openUntil).not.toBeNull();
    t.endpoint.behaviours.clear();
    const named = { projectId: t.projectId, webhookId: webhook.id };
    const { id } = await testWebhook(t.gate, OPERATOR, named);
    await t.send();
    const [delivered] = await t.deliveries(webhook, { state: 'delivered' });
    expect(delivered).toMatchObject({ id, kind: 'test', eventType: 'webhook.test' });
    expect(t.endpoint.at('/a').at(-1)?.headers['webhook-id']).toBe(id);
    expect(t.endpoint.at('/a').at(-1)?.body).toMatchObject({
      type: 'webhook.test',
      data: { webhook_id: webhook.id, project_id: t.projectId, mode: 'live' },
    });
  });

  test('is disabled after five days, and its pending deliveries are listed as failed', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(503));
    for (let day = 1; day <= 5; day += 1) {
      await t.ask();
      await failForADay();
      expect((await t.find(webhook)).disabledAt).toBeNull();
    }
    await t.ask();
    await failForADay();
    expect(await t.find(webhook)).toMatchObject({ disabledReason: 'failing' });
    const [event, ...others] = await t.events(t.projectId, 'webhook.disabled');
    expect(others).toEqual([]);
    expect(event?.data).toMatchObject({ reason: 'failing', failing_since: '2026-11-20T12:00:00.000Z' });
    const states = (await t.deliveries(webhook)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['failed']));
  });

  test('has its failures reset when it gets another address', async () => {
    const { webhook } = await t.hook('/a');
    t.endpoint.behaviours.set('/a', answers(500));
    await Promise.all(Array.from({ length: 8 }, () => t.ask()));
    await t.send();
    const change = { projectId: t.projectId, webhookId: webhook.id };
    await updateWebhook(t.gate, OPERATOR, { ...change, url: `${t.endpoint.url}/b` });
    expect(await t.find(webhook)).toMatchObject({ failures: 0, openUntil: null });
    t.clock.advance(20);
    await t.send();
    expect(t.endpoint.at('/b').length).toBe(8);
  });

  test('does not delay other endpoints', async () => {
    const hanging = await Promise.all(['/a', '/b', '/c'].map((path) => t.hook(path)));
    for (const path of ['/a', '/b', '/c']) t.endpoint.behaviours.set(path, hangs);
    const { webhook } = await t.hook('/well');
    await Promise.all(Array.from({ length: 30 }, () => t.ask()));
    await t.gate.ledger.sealNow(t.projectId);
    const running = t.another({ timeoutMs: 60_000 });
    running.start();
    await expect.poll(() => t.endpoint.at('/well')).toHaveLength(30);
    for (const { webhook: each } of hanging) {
      expect(await t.deliveries(each, { state: 'delivered' })).toEqual([]);
    }
    expect(webhook.disabledAt).toBeNull();
    await running.stop();
  });
});

test('a project with many hanging endpoints does not block the endpoints of other projects', async () => {
  for (let n = 0; n < 17; n += 1) {
    t.endpoint.behaviours.set(`/slow/${n}`, hangs);
    await t.hook(`/slow/${n}`);
  }
  await Promise.all(Array.from({ length: 8 }, () => t.ask()));
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Second',
    mode: 'live',
    ownerEmail: 'bob@example.org',
  });
  const at = { projectId: project.id };
  const { webhook } = await createWebhook(t.gate, OPERATOR, { ...at, url: `${t.endpoint.url}/other` });
  await t.gate.ledger.sealNow(t.projectId);
  t.another({ timeoutMs: 60_000 }).start();
  await expect.poll(() => t.endpoint.received.length).toBeGreaterThanOrEqual(32);
  await testWebhook(t.gate, OPERATOR, { ...at, webhookId: webhook.id });
  await expect.poll(() => t.endpoint.at('/other')).not.toEqual([]);
  expect(t.endpoint.received.filter(({ path }) => path.startsWith('/slow/'))).toHaveLength(128);
});
