/** Gates that know of one another, and serve one database under one base_url. */
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Heartbeats } from '../../src/gate/heartbeats/heartbeats.ts';
import { openGate } from '../../src/open-gate.ts';
import { openTestGate, TEST_KEY_SETTINGS, type TestGate } from '../fixtures/open-test-gate.ts';

let t: TestGate;
let errors: unknown[];
let running: Heartbeats[];
beforeEach(async () => {
  t = await openTestGate({ on: 'postgres' });
  errors = [];
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((heartbeats) => heartbeats.stop()));
  await t.close();
});

function aGate(gateId: string, baseUrl = t.gate.issuer, options: { deadAfterSeconds?: number } = {}) {
  const heartbeats = new Heartbeats(
    { ...t.gate, issuer: baseUrl },
    {
      gateId,
      version: '1.0.0',
      onError: (error) => errors.push(error),
      everyMs: 20,
      // A gate that only stalled does not count as dead.
      deadAfterSeconds: 600,
      ...options,
    },
  );
  running.push(heartbeats);
  return heartbeats;
}

/** Leaves a gate as kill -9 does: its row remains and is no longer updated. */
async function leaveDead(gateId: string, baseUrl: string, silentSeconds: number): Promise<void> {
  if (!('url' in t.database)) throw new Error('not on PostgreSQL');
  const client = new Client({ connectionString: t.database.url });
  await client.connect();
  await client.query(
    `insert into heartbeats values ($1, $2, '1.0.0', $3,
       to_char((clock_timestamp() - make_interval(secs => $4)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
    [gateId, baseUrl, '2026-01-01T00:00:00.000Z', silentSeconds],
  );
  await client.end();
}

const known = async () =>
  (await t.gate.storage.read.listHeartbeats(t.clock.now())).map(({ gateId }) => gateId);

test('gates know how many of them are running', async () => {
  const [one, two] = [aGate('a'), aGate('b')];
  await one.start();
  await two.start();
  await expect.poll(() => [one.living, two.living]).toEqual([2, 2]);
  await two.stop();
  await expect.poll(() => one.living).toBe(1);
  expect(await known()).toEqual(['a']);
  await one.stop();
  expect(await known()).toEqual([]);
});

test('a gate with another base_url is refused, with both addresses named, and leaves no trace', async () => {
  await aGate('a').start();
  await expect(aGate('b', 'https://elsewhere.example').start()).rejects.toThrow(
    'Another gate serves this database as http://localhost:4000, but this one is configured as https://elsewhere.example',
  );
  expect(await known()).toEqual(['a']);
});

test('when two gates with different base_urls start at once, only one serves', async () => {
  const gates = [aGate('a', 'https://one.example'), aGate('b', 'https://two.example')];
  const started = await Promise.allSettled(gates.map((gate) => gate.start()));
  expect(started.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await known()).toHaveLength(1);
});

test('after a gate is killed, one with the same base_url starts at once, and one with another after a timeout', async () => {
  await leaveDead('killed', t.gate.issuer, 0);
  const next = aGate('a');
  await next.start();
  await next.stop();
  await leaveDead('killed too', t.gate.issuer, 0.5);
  await aGate('b', 'https://elsewhere.example', { deadAfterSeconds: 1 }).start();
  expect(await known()).toContain('b');
});

test('the heartbeat of a gate that died long ago is deleted', async () => {
  await leaveDead('killed', 'https://elsewhere.example', 3600);
  await aGate('a').start();
  await expect.poll(known).toEqual(['a']);
});

test('a gate that finds another base_url on its database reports it once', async () => {
  await aGate('a').start();
  // A gate that was suspended while the other started.
  await leaveDead('woken', 'https://elsewhere.example', 0);
  await expect.poll(() => errors.length).toBe(1);
  expect(String(errors[0])).toContain('https://elsewhere.example');
});

test('a gate with another base_url cannot open to serve, but can open for commands', async () => {
  await aGate('a').start();
  const options = { database: t.database, clock: t.clock, signingKeys: TEST_KEY_SETTINGS };
  const opening = openGate({ ...options, issuer: 'https://elsewhere.example', serving: true });
  await expect(opening).rejects.toThrow('PERMITRY_BASE_URL');
  const admin = await openGate({ ...options, issuer: 'https://elsewhere.example' });
  expect(await known()).toEqual(['a']);
  await admin.close();
  const other = await openGate({ ...options, issuer: t.gate.issuer, serving: true });
  expect(await known()).toHaveLength(2);
  await other.close();
  expect(await known()).toEqual(['a']);
});
