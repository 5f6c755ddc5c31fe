/** An intent expires, no matter who notices first and through which surface. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expireAllDue } from '../../src/gate/intents/expire.ts';
import { repeatedly } from '../../src/gate/kernel/repeatedly.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
let key: string;
beforeEach(async () => {
  t = await openTestApp({ logLevel: 'silent' });
  key = t.first.secret_key;
});
afterEach(async () => {
  await t.close();
});

async function newIntent(expiresIn: number): Promise<{ id: string; expires_at: string }> {
  const { status, body } = await t.call('POST', '/v1/intents', {
    key,
    body: { action: 'deploy', expires_in: expiresIn },
  });
  expect(status).toBe(201);
  return body as { id: string; expires_at: string };
}

type Finder = (id: string) => Promise<unknown>;

/** Each finder is the first to read the intent after its expiry. */
const FINDERS: Record<string, Finder> = {
  'the sweeper': () => expireAllDue(t.gate),
  'a read on surface A': (id) => t.call('GET', `/api/intents/${id}`, { key }),
  'a read on surface B': (id) => t.call('GET', `/v1/intents/${id}`, { key }),
  'a list of everything': () => t.call('GET', '/api/intents', { key }),
  'a list of the pending': () => t.call('GET', '/api/intents?status=pending', { key }),
  'a list of the expired': () => t.call('GET', '/api/intents?status=expired', { key }),
  'a list of the resolved': () => t.call('GET', '/api/intents?status=resolved', { key }),
  'an approval on surface A': (id) =>
    t.call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'approve' } }),
  'an approval on surface B': (id) => t.call('POST', `/v1/intents/${id}/approve`, { key, body: {} }),
  'a denial on surface A': (id) => t.call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'deny' } }),
  'a denial on surface B': (id) => t.call('POST', `/v1/intents/${id}/deny`, { key, body: {} }),
  'its requester, withdrawing it': (id) => t.call('POST', `/v1/intents/${id}/withdraw`, { key, body: {} }),
  'its requester, asking for a permit': (id) => t.call('POST', `/v1/intents/${id}/permit`, { key, body: {} }),
};

describe('an intent that expires', () => {
  it.each(Object.keys(FINDERS))('is expired when it is first found by %s', async (name) => {
    const { id, expires_at: expiresAt } = await newIntent(60);
    t.clock.advance(61);
    await FINDERS[name]?.(id);

    const onA = (await t.call('GET', `/api/intents/${id}`, { key })).body;
    const onB = (await t.call('GET', `/v1/intents/${id}`, { key })).body;
    const told = { status: 'expired', expires_at: expiresAt, resolved_at: expiresAt, reason: null };
    expect(onA).toMatchObject(told);
    expect(onB).toMatchObject(told);
    expect(onA.resolved_by).toBe(onB.resolved_by);
    for (const body of [onA, onB]) expect(body).not.toHaveProperty('permit');

    for (const [method, url, body] of [
      ['PATCH', `/api/intents/${id}`, { decision: 'approve' }],
      ['PATCH', `/api/intents/${id}`, { decision: 'deny' }],
      ['POST', `/v1/intents/${id}/approve`, {}],
      ['POST', `/v1/intents/${id}/deny`, { reason: 'too late' }],
      ['POST', `/v1/intents/${id}/withdraw`, {}],
      ['POST', `/v1/intents/${id}/permit`, {}],
    ] as const) {
      const refused = await t.call(method, url, { key, body });
      expect(refused.status, url).toBe(410);
      expect(refused.body, url).toMatchObject({
        error: { code: url.startsWith('/api') ? 'INTENT_EXPIRED' : 'intent_expired', expired_at: expiresAt },
      });
    }
    const events = await t.events(t.projectId, 'intent.expired', 'approval.recorded', 'intent.denied');
    expect(events.map(({ type, intentId, occurredAt }) => [type, intentId, occurredAt])).toEqual([
      ['intent.expired', id, expiresAt],
    ]);
  });

  it('can be decided until its last second, but not at its expiry', async () => {
    const decided = await newIntent(60);
    const late = await newIntent(60);
    t.clock.advance(59);
    expect((await t.call('POST', `/v1/intents/${decided.id}/approve`, { key, body: {} })).status).toBe(200);
    t.clock.advance(1);
    expect((await t.call('POST', `/v1/intents/${late.id}/approve`, { key, body: {} })).status).toBe(410);
    // A resolution is final: a later expiry changes nothing.
    expect((await t.call('GET', `/api/intents/${decided.id}`, { key })).body.status).toBe('approved');
  });

  it('is expired only once when many find it at the same time', async () => {
    const intents = await Promise.all(Array.from({ length: 5 }, () => newIntent(60)));
    t.clock.advance(60);
    await Promise.all(intents.flatMap(({ id }) => Object.values(FINDERS).map((find) => find(id))));
    expect(await t.events(t.projectId, 'intent.expired')).toHaveLength(5);
    expect(await t.events(t.projectId, 'intent.approved', 'intent.denied')).toEqual([]);
  });
});

it('the sweeper expires intents that nobody reads, in more than one batch, until it is stopped', async () => {
  const intents = await Promise.all(Array.from({ length: 250 }, () => newIntent(60)));
  t.clock.advance(60);
  const failures: unknown[] = [];
  const stop = repeatedly(
    5,
    () => expireAllDue(t.gate),
    (error) => failures.push(error),
  );
  while ((await t.gate.storage.read.findNextExpiry()) !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await stop();
  expect(failures).toEqual([]);
  expect(await t.events(t.projectId, 'intent.expired')).toHaveLength(intents.length);
});
