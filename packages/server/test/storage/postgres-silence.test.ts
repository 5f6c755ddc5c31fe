/** A database that becomes silent without a broken connection: callers learn about it in time. */
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Relay } from '../../../../test/faults/cluster/relay.ts';
import { GateError } from '../../src/gate/kernel/errors.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';

const CONNECT_MS = 800;

let database: TestDatabase;
let relay: Relay;
let storage: OpenStorage;
let url: URL;

beforeAll(async () => {
  database = await openTestDatabase();
  url = new URL(database.url);
  const port = Number(url.port);
  relay = await Relay.open(() => port);
  url.port = String(relay.port);
  storage = await openPostgresStorage({
    url: url.href,
    readers: 2,
    answerTimeoutMs: 1000,
    session: { connectTimeoutMs: CONNECT_MS },
  });
});

afterAll(async () => {
  relay.heal();
  await storage.close();
  relay.close();
  await database.drop();
});

test('a database that stops answering is reported to all callers, also under growing load, until it answers again', async () => {
  await untilAnswered();
  relay.cut();
  let isTold = false;
  const first = read().then((answer) => {
    isTold = true;
    return answer;
  });
  // Each query starts before the previous one can have been given up.
  while (!isTold) {
    void read();
    await pause(50);
  }
  expect(await first).toBe('service_unavailable');

  // If the queries found out separately, one after another, the last would wait for half a minute.
  const many = [];
  for (let n = 0; n < 80; n += 1) {
    many.push(read());
    await pause(1);
  }
  expect(new Set(await Promise.all(many))).toEqual(new Set(['service_unavailable']));

  relay.heal();
  await untilAnswered();
});

test('a database that is gone is noticed long before the timeout for a slow answer', async () => {
  const patient = await openPostgresStorage({ url: url.href, readers: 2, answerTimeoutMs: 3_600_000 });
  const ask = () => read(patient);
  while ((await ask()) !== 'answered');
  relay.cut();
  expect(new Set(await Promise.all([ask(), ask()]))).toEqual(new Set(['service_unavailable']));
  // The gate already knows, so no query connects only to wait.
  expect(await ask()).toBe('service_unavailable');
  relay.heal();
  while ((await ask()) !== 'answered');
  await patient.close();
});

test('a database that answers slowly is waited for', async () => {
  const patient = await openPostgresStorage({
    url: url.href,
    readers: 1,
    session: { lockTimeoutMs: 3_600_000, statementTimeoutMs: 3_600_000 },
  });
  await withClient(database.url, async (client) => {
    await client.query('begin; lock table projects');
    const answer = read(patient);
    // Long enough to check whether the database still answers.
    await pause(1500);
    await client.query('rollback');
    expect(await answer).toBe('answered');
  });
  await patient.close();
});

test('a database that answers no new connections is still waited for on its open ones', async () => {
  const proxy = await openProxy(Number(new URL(database.url).port));
  const through = new URL(database.url);
  through.port = String(proxy.port);
  const patient = await openPostgresStorage({
    url: through.href,
    readers: 2,
    session: { lockTimeoutMs: 3_600_000, statementTimeoutMs: 3_600_000 },
  });
  const other = () => patient.transaction((tx) => tx.findInstallationFact('declared_at'));
  await Promise.all([other(), read(patient)]);
  await withClient(database.url, async (client) => {
    await client.query('begin; lock table projects');
    proxy.shut();
    const answer = read(patient);
    // Longer than the gate takes to check whether the database still answers, and to give up.
    for (let n = 0; n < 50; n += 1) {
      await other();
      await pause(50);
    }
    await client.query('rollback');
    expect(await answer).toBe('answered');
  });
  await patient.close();
  proxy.close();
});

/**
 * A proxy to a server. Once shut, it accepts connections and passes nothing on, like a proxy with too many connections.
 */
async function openProxy(port: number): Promise<{ port: number; shut(): void; close(): void }> {
  const sockets: Socket[] = [];
  let isShut = false;
  const server = createServer((near) => {
    sockets.push(near);
    near.on('error', () => {});
    if (isShut) return;
    const far = connect(port, '127.0.0.1');
    sockets.push(far);
    far.on('error', () => {});
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the door has no port');
  return {
    port: address.port,
    shut() {
      isShut = true;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A busy machine may be too slow for a timeout as short as this one. */
async function untilAnswered(): Promise<void> {
  while ((await read()) !== 'answered');
}

async function read(of = storage): Promise<string> {
  try {
    await of.read.listProjects();
    return 'answered';
  } catch (error) {
    return error instanceof GateError ? error.code : String(error);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
