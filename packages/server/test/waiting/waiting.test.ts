import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { expireAllDue } from '../../src/gate/intents/expire.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { startServer } from '../../src/main.ts';
import { initialiseGate } from '../../src/people/initialise-gate.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { ON_SQLITE, OPERATOR } from '../fixtures/open-test-gate.ts';
import { getJson, type ListeningApp, openListeningApp } from './open-listening-app.ts';

const METRICS_TOKEN = 'collector';

let t: ListeningApp;
beforeEach(async () => {
  t = await openListeningApp();
});
afterEach(async () => {
  await t.close();
});

async function newIntent(expiresInSeconds = 3600): Promise<string> {
  const { intent } = await submitIntent(t.gate, t.secret, { action: 'deploy', params: {}, expiresInSeconds });
  return intent.id;
}

function approve(intentId: string) {
  return decideIntent(t.gate, t.secret, { intentId, decision: 'approve' });
}

describe.each(['api', 'v1'])('waiting on /%s', (surface) => {
  it('returns the permit when the intent is approved', async () => {
    const id = await newIntent();
    const waiting = t.get(`/${surface}/intents/${id}?wait=60`);
    await t.untilWaiting(1);
    await approve(id);
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'approved' });
    expect(body).toHaveProperty(surface === 'api' ? 'permit_token' : 'permit.token');
    expect(t.wakeups.waiting).toBe(0);
  });

  it('returns when the intent is denied, and when it is withdrawn', async () => {
    const denied = await newIntent();
    const withdrawn = await newIntent();
    const waiting = [denied, withdrawn].map((id) => t.get(`/${surface}/intents/${id}?wait=60`));
    await t.untilWaiting(2);
    const key = t.first.secret_key;
    expect((await t.call('POST', `/v1/intents/${denied}/deny`, { key, body: {} })).status).toBe(200);
    expect((await t.call('POST', `/v1/intents/${withdrawn}/withdraw`, { key, body: {} })).status).toBe(200);
    expect((await Promise.all(waiting)).map(({ body }) => [body.status, body.reason])).toEqual([
      ['denied', null],
      ['denied', 'withdrawn'],
    ]);
  });

  it('returns the pending intent when the wait is over', async () => {
    const id = await newIntent();
    const { status, body } = await t.get(`/${surface}/intents/${id}?wait=1`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'pending' });
    expect(t.wakeups.waiting).toBe(0);
  });

  it('returns at once with wait=0, and for an intent that is already resolved', async () => {
    const id = await newIntent();
    expect((await t.get(`/${surface}/intents/${id}?wait=0`)).body.status).toBe('pending');
    await approve(id);
    expect((await t.get(`/${surface}/intents/${id}?wait=60`)).body.status).toBe('approved');
    expect(t.wakeups.waiting).toBe(0);
  });

  it('returns the intent as expired when it expires, whether or not the sweeper runs', async () => {
    const swept = await newIntent(30);
    const found = await newIntent(1);
    const waiting = [swept, found].map((id) => t.get(`/${surface}/intents/${id}?wait=60`));
    await t.untilWaiting(2);
    t.clock.advance(1);
    // No sweeper runs: the waiter itself notices the expiry.
    expect((await waiting[1])?.body).toMatchObject({ id: found, status: 'expired' });
    t.clock.advance(29);
    await expireAllDue(t.gate);
    expect((await waiting[0])?.body).toMatchObject({ id: swept, status: 'expired' });
    expect(await t.events(t.projectId, 'intent.expired')).toHaveLength(2);
  });

  it.each(['61', '-1', '1.5', '1e1', '05', '+5', 'soon', '', '5&wait=6'])(
    'is refused with wait=%s',
    async (wait) => {
      const id = await newIntent();
      const { status, body } = await t.get(`/${surface}/intents/${id}?wait=${wait}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: {
          code: surface === 'api' ? 'INVALID_FIELDS' : 'invalid_request',
          fields: [{ path: '/wait' }],
        },
      });
    },
  );

  it('is refused to a key that may not read the intent', async () => {
    const id = await newIntent();
    const { status } = await t.get(`/${surface}/intents/${id}?wait=60`, t.first.agent_key);
    expect(status).toBe(404);
    expect((await t.get(`/${surface}/intents/${id}?wait=60`, t.first.verifier_key)).status).toBe(403);
    expect(t.wakeups.waiting).toBe(0);
  });

  it('returns 401 and no permit if the key is revoked meanwhile', async () => {
    const { intent } = await submitIntent(t.gate, t.agent, { action: 'deploy', params: {} });
    const waiting = t.get(`/${surface}/intents/${intent.id}?wait=60`, t.first.agent_key);
    await t.untilWaiting(1);
    await revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: t.agent.credentialId });
    await approve(intent.id);
    const { status, body } = await waiting;
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { code: surface === 'api' ? 'UNAUTHORIZED' : 'unauthorized' } });
    expect(Object.keys(body)).toEqual(['error']);
  });
});

it('a wait leaves nothing behind when its client hangs up', async () => {
  const id = await newIntent();
  const leaving = Array.from({ length: 20 }, () => t.start(`/v1/intents/${id}?wait=60`));
  const staying = t.get(`/v1/intents/${id}?wait=60`);
  await t.untilWaiting(21);
  for (const client of leaving) client.destroy();
  await t.untilWaiting(1);
  await approve(id);
  expect((await staying).body.status).toBe('approved');
  expect(t.wakeups.waiting).toBe(0);
});

it.runIf(ON_SQLITE)('database reads grow with the number of waits, never with their duration', async () => {
  const WAITERS = 1000;
  const ids = await Promise.all(Array.from({ length: 10 }, () => newIntent()));
  const before = t.storage.stats();
  const waiting = Array.from({ length: WAITERS }, (_, number) => {
    const surface = number % 2 === 0 ? 'api' : 'v1';
    return t.get(`/${surface}/intents/${ids[number % ids.length]}?wait=60`);
  });
  await t.untilWaiting(WAITERS);
  await t.lastUsed.flush();
  const settled = await quietStats();
  // Each waiter reads its key and the intent. The project's settings are read once.
  expect(settled.statementsRead - before.statementsRead).toBeLessThanOrEqual(2 * WAITERS + 50);

  // Waiting alone executes no statements.
  await sleep(1500);
  expect(t.storage.stats().statementsRead).toBe(settled.statementsRead);
  expect(t.storage.stats().statementsWritten).toBe(settled.statementsWritten);
  expect(t.wakeups.waiting).toBe(WAITERS);

  await Promise.all(ids.map((id) => approve(id)));
  const answers = await Promise.all(waiting);
  expect(answers.every(({ status, body }) => status === 200 && body.status === 'approved')).toBe(true);
  expect(t.wakeups.waiting).toBe(0);
  const { statementsRead, statementsWritten } = t.storage.stats();
  // Each waiter reads the intent once more, with its permit and receipt. The ten approvals execute a few statements
  // each.
  expect(statementsRead - before.statementsRead).toBeLessThanOrEqual(4 * WAITERS + 200);
  expect(statementsWritten - before.statementsWritten).toBeLessThan(WAITERS);
});

it('waits are answered with the current state when the server stops', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'permitry-test-'));
  const config = { ...readConfig({}), dataDir, port: 0, metricsToken: METRICS_TOKEN };
  const server = await startServer(config, { logger: createLogger('silent') });
  const agent = new Agent({ keepAlive: true });
  try {
    const first = await initialiseGate(server.gate, {
      mode: 'test',
      projectName: 'First',
      ownerEmail: 'owner@example.org',
    });
    const headers = { authorization: `Bearer ${first.secret_key}` };
    const created = await fetch(`${server.url}/v1/intents`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'deploy' }),
    });
    const { id } = (await created.json()) as { id: string };
    const waiting = ['api', 'v1'].map((surface) =>
      getJson(`${server.url}/${surface}/intents/${id}?wait=60`, agent, headers),
    );
    while (!(await metric(server.url)).includes('permitry_held_reads 2')) await sleep(5);
    await server.close();
    expect((await Promise.all(waiting)).map(({ status, body }) => [status, body.status])).toEqual([
      [200, 'pending'],
      [200, 'pending'],
    ]);
  } finally {
    agent.destroy();
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/**
 * A read counts as waiting just before it reads the database. Once the number of reads is stable, all waiters have
 * read.
 */
async function quietStats() {
  for (;;) {
    const before = t.storage.stats();
    await sleep(200);
    const after = t.storage.stats();
    if (after.statementsRead === before.statementsRead) return after;
  }
}

async function metric(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text();
}
