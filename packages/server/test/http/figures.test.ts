/** The metrics of a gate after requests, decisions and failures. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SealLagMeter } from '../../src/gate/audit/seal-lag.ts';
import { expireAllDue } from '../../src/gate/intents/expire.ts';
import type { ResolutionNote } from '../../src/gate/intents/resolutions.ts';
import { Metrics } from '../../src/ops/metrics/metrics.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

let t: TestApp;
let metrics: Metrics;
beforeEach(async () => {
  metrics = new Metrics();
  t = await openTestApp({ deps: { metrics } });
});
afterEach(() => t.close());

async function create(body: object = {}): Promise<string> {
  const made = await t.call('POST', '/v1/intents', {
    key: t.first.secret_key,
    body: { action: 'deploy', ...body },
  });
  return String(made.body.id);
}

describe('metrics', () => {
  test('record how long each decision took and who made it', async () => {
    const told: ResolutionNote[] = [];
    t.gate.listeners.resolutions.listen((note) => told.push(note));
    const [approved, denied, withdrawn] = [await create(), await create(), await create()];
    t.clock.advance(30);
    const key = t.first.secret_key;
    await t.call('POST', `/v1/intents/${approved}/approve`, { key, body: {} });
    await t.call('POST', `/v1/intents/${denied}/deny`, { key: t.owner.token, body: {} });
    await t.call('POST', `/v1/intents/${withdrawn}/withdraw`, { key, body: {} });
    // The gate refuses this vote, so nothing is recorded.
    await t.call('POST', `/v1/intents/${denied}/approve`, { key, body: {} });
    expect(told).toEqual([
      { status: 'approved', by: 'key', seconds: 30 },
      { status: 'denied', by: 'user', seconds: 30 },
      { status: 'denied', by: 'key', seconds: 30 },
    ]);
  });

  test('count the committed events of each type', async () => {
    const before = { ...t.eventCounts.types };
    const grown = () =>
      Object.entries(t.eventCounts.types).filter(
        ([type, count]) => count > before[type as keyof typeof before],
      );
    const key = t.first.secret_key;
    const denied = await create();
    await create({ expires_in: 60 });
    await t.call('POST', `/v1/intents/${denied}/deny`, { key, body: {} });
    // The gate refuses this vote, so nothing is recorded.
    await t.call('POST', `/v1/intents/${denied}/deny`, { key, body: {} });
    t.clock.advance(61);
    await expireAllDue(t.gate);
    expect(grown()).toEqual([
      ['intent.created', 2],
      ['intent.denied', 1],
      ['intent.expired', 1],
      ['approval.recorded', 1],
    ]);
  });

  test('count each reported outcome once', async () => {
    const id = await create();
    const key = t.first.secret_key;
    await t.call('POST', `/v1/intents/${id}/approve`, { key, body: {} });
    const { body } = await t.call('GET', `/v1/intents/${id}`, { key });
    const { token } = body.permit as { token: string };
    const used = { token, action: 'deploy', params: {}, consume: true };
    await t.call('POST', '/v1/permits/validate', { key: t.first.verifier_key, body: used });
    const report = (outcome: string) =>
      t.call('POST', `/v1/intents/${id}/outcome`, { key: t.first.verifier_key, body: { outcome } });
    await report('failed');
    await report('succeeded');
    expect(t.eventCounts.outcomes).toEqual({ succeeded: 0, failed: 1, unknown: 0 });
  });

  test('measure how long the same event has been the first unsealed one', async () => {
    const waiting = [{ projectId: 'prj_1', firstPosition: 7 }];
    let found = waiting;
    const meter = new SealLagMeter({
      storage: {
        ...t.gate.storage,
        read: { ...t.gate.storage.read, listUnsealedProjects: async () => found },
      },
    });
    expect(await meter.measure(1000)).toEqual({ projects: 1, seconds: 0 });
    expect(await meter.measure(6000)).toEqual({ projects: 1, seconds: 5 });
    found = [{ projectId: 'prj_1', firstPosition: 8 }];
    expect(await meter.measure(9000)).toEqual({ projects: 1, seconds: 0 });
    found = [...found, { projectId: 'prj_2', firstPosition: 1 }];
    await meter.measure(10_000);
    expect(await meter.measure(11_000)).toEqual({ projects: 2, seconds: 2 });
    found = [];
    expect(await meter.measure(12_000)).toEqual({ projects: 0, seconds: 0 });
  });

  test('leave out a value that cannot be read, and still show the others', async () => {
    let value: () => Promise<number> = async () => 5;
    metrics.ask('permitry_test_asked', 'Asked for.', () => value());
    metrics.gauge('permitry_test_known', 'Known.', () => 7);
    expect(await metrics.render()).toMatch(/^permitry_test_asked 5$/m);
    value = () => Promise.reject(new Error('the database is away'));
    const text = await metrics.render();
    expect(text).not.toMatch(/^permitry_test_asked \d/m);
    expect(text).toMatch(/^permitry_test_known 7$/m);
  });

  test('count requests by route and status, and open streams', async () => {
    await t.call('GET', '/v1/intents/int_x', { key: t.first.secret_key });
    await t.call('GET', `/v1/projects/${t.projectId}/events?follow=false`, { key: t.first.secret_key });
    const text = await metrics.render();
    expect(text).toContain('requests_total{method="GET",route="/v1/intents/:id",status="404"} 1');
    expect(text).toContain('duration_seconds_count{method="GET",route="/v1/intents/:id"} 1');
    expect(text).toMatch(/^permitry_event_streams 0$/m);
    expect(text).toMatch(/^permitry_page_streams 0$/m);
  });
});
