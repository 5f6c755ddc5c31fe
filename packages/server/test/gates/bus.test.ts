/** Gates that send one another messages through PostgreSQL. */
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ALONE, type Bus } from '../../src/gate/kernel/bus.ts';
import type { Reader } from '../../src/storage/nouns.ts';
import { PostgresBus } from '../../src/storage/postgres/bus/bus.ts';
import { Servers } from '../../src/storage/postgres/connections/servers.ts';
import { pollForResolved } from '../../src/streams/poll-for-resolved.ts';
import { WaitingRoom } from '../../src/streams/wakeups.ts';
import { borrowTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';

/** Only connections to this test's database, because other tests share the server. */
const CONNECTIONS = "pg_stat_activity where datname = current_database() and application_name = 'bus'";

let database: TestDatabase;
let client: Client;
let buses: PostgresBus[];
let errors: unknown[];
beforeEach(async () => {
  database = await borrowTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  buses = [];
  errors = [];
});
afterEach(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await client.end();
  await database.drop();
});

async function openBus(): Promise<PostgresBus> {
  const servers = new Servers(database.url, { applicationName: 'bus' });
  const bus = new PostgresBus({ connect: () => servers.connect(), onError: (error) => errors.push(error) });
  buses.push(bus);
  await expect.poll(() => bus.connected).toBe(true);
  return bus;
}

function heardBy(bus: Bus): string[] {
  const heard: string[] = [];
  bus.hear('resolved', (id) => heard.push(id));
  return heard;
}

const cutAll = () => client.query(`select pg_terminate_backend(pid) from ${CONNECTIONS}`);

test('a message on the bus reaches all other gates but not its sender', async () => {
  const [one, two, three] = [await openBus(), await openBus(), await openBus()];
  const heard = [one, two, three].map(heardBy);
  const sealed: string[] = [];
  two.hear('sealed', (id) => sealed.push(id));
  one.tell('resolved', 'int_1');
  one.tell('sealed', 'prj_1');
  two.tell('resolved', 'int_2');
  await expect.poll(() => heard).toEqual([['int_2'], ['int_1'], expect.arrayContaining(['int_1', 'int_2'])]);
  await expect.poll(() => sealed).toEqual(['prj_1']);
});

test('the bus delivers thousands of IDs once each, in few messages', async () => {
  const [one, two] = [await openBus(), await openBus()];
  const heard = heardBy(two);
  await client.query('listen permitry');
  let messages = 0;
  client.on('notification', () => {
    messages += 1;
  });
  const ids = Array.from({ length: 5000 }, (_, n) => `int_${String(n).padStart(26, '0')}`);
  for (const id of [...ids, ...ids]) one.tell('resolved', id);
  await expect.poll(() => heard.length).toBe(5000);
  expect(heard.toSorted()).toEqual(ids);
  await client.query('select 1');
  expect(messages).toBeLessThan(50);
});

test('the bus delivers nothing more to a listener that has stopped', async () => {
  const [one, two] = [await openBus(), await openBus()];
  const heard: string[] = [];
  const stop = two.hear('resolved', (id) => heard.push(id));
  const all = heardBy(two);
  one.tell('resolved', 'int_1');
  await expect.poll(() => all).toEqual(['int_1']);
  stop();
  one.tell('resolved', 'int_2');
  await expect.poll(() => all).toEqual(['int_1', 'int_2']);
  expect(heard).toEqual(['int_1']);
});

test('the bus ignores invalid messages, and a failing listener does not affect the others', async () => {
  const [one, two] = [await openBus(), await openBus()];
  two.hear('resolved', () => {
    throw new Error('a broken listener');
  });
  const heard = heardBy(two);
  const nonsense = [
    '',
    'x',
    'x resolved',
    'x resolved a b',
    '{"id":1}',
    'x resolved a\n',
    'x gone a',
    'ä resolved a',
  ];
  for (const payload of nonsense) await client.query('select pg_notify($1, $2)', ['permitry', payload]);
  await client.query('select pg_notify($1, $2)', ['elsewhere', 'x resolved int_9']);
  // Text that cannot be an ID is not even sent.
  for (const id of ['', 'a b', 'a,b', `'; drop table events`, 'x'.repeat(500)]) one.tell('resolved', id);
  one.tell('resolved', 'int_1');
  await expect.poll(() => heard).toEqual(['int_1']);
  expect(errors.map(String)).toEqual(['Error: a broken listener']);
});

test('the bus drops most of a flood on the channel and still delivers later messages', async () => {
  const one = await openBus();
  const [keys, resolved]: string[][] = [[], []];
  one.hear('keys', (id) => keys?.push(id));
  one.hear('resolved', (id) => resolved?.push(id));
  const flood = `x keys ${Array.from({ length: 1500 }, (_, n) => `k${n}`).join()}`;
  for (let n = 0; n < 20; n += 1)
    await client.query('select pg_notify($1, $2)', ['permitry', `${flood}${n}`]);
  await client.query('select pg_notify($1, $2)', ['permitry', 'x resolved int_1']);
  await expect.poll(() => resolved).toEqual(['int_1']);
  expect(keys?.length).toBeLessThan(1500);
  const tell = () => client.query('select pg_notify($1, $2)', ['permitry', 'x keys true']);
  await expect.poll(async () => (await tell()) && keys).toContain('true');
});

test('after an outage the bus reconnects and reports that it may have missed messages', async () => {
  const [one, two] = [await openBus(), await openBus()];
  const heard = heardBy(two);
  let missed = 0;
  two.onMissed(() => {
    missed += 1;
  });
  for (let outage = 1; outage <= 3; outage += 1) {
    await cutAll();
    await expect.poll(() => missed).toBe(outage);
    // The other bus counts itself as connected until it notices the outage too.
    await expect.poll(() => errors.length).toBe(2 * outage);
    await expect.poll(() => one.connected).toBe(true);
    one.tell('resolved', `int_${outage}`);
    await expect.poll(() => heard.at(-1)).toBe(`int_${outage}`);
  }
  // One error per outage and bus, however often the bus retried.
  expect(errors.length).toBe(6);
});

test('the bus sends messages that were queued during an outage after reconnecting, and any remaining ones before it closes', async () => {
  const [one, two] = [await openBus(), await openBus()];
  const heard = heardBy(two);
  await client.query(`select pg_terminate_backend(min(pid)) from ${CONNECTIONS}`);
  await expect.poll(() => errors.length).toBe(1);
  one.tell('resolved', 'int_1');
  await expect.poll(() => two.connected && one.connected).toBe(true);
  one.tell('resolved', 'int_2');
  await one.close();
  await expect.poll(() => heard).toContain('int_2');
});

test('the bus sends messages from before its first connection, even when it closes at once', async () => {
  const heard = heardBy(await openBus());
  const servers = new Servers(database.url, { applicationName: 'bus' });
  const brief = new PostgresBus({ connect: () => servers.connect(), onError: (error) => errors.push(error) });
  brief.tell('resolved', 'int_1');
  await brief.close();
  await expect.poll(() => heard).toEqual(['int_1']);
  // Closing does not wait for a bus that never connected.
  const nowhere = new PostgresBus({
    connect: () => Promise.reject(new Error('nowhere')),
    onError: (error) => errors.push(error),
  });
  await nowhere.close();
  expect(errors.map(String)).not.toContain('Error: the bus is closed');
});

test('the bus notices a server that silently stops answering', async () => {
  const servers = new Servers(database.url, { applicationName: 'bus' });
  let opened = 0;
  const bus = new PostgresBus({
    connect: async () => {
      opened += 1;
      return servers.connect();
    },
    onError: (error) => errors.push(error),
    checkEveryMs: 50,
    answerWithinMs: 500,
  });
  buses.push(bus);
  await expect.poll(() => bus.connected).toBe(true);
  // The server's process is suspended: the connection exists, but nothing answers.
  const { rows } = await client.query(`select pid from ${CONNECTIONS}`);
  const pid = Number(rows[0]?.pid);
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    // The process belongs to another user and cannot be suspended.
    return;
  }
  try {
    await expect.poll(() => opened).toBeGreaterThan(1);
    await expect.poll(() => bus.connected).toBe(true);
    expect(String(errors[0])).toContain('no answer within 500 ms');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

describe('waiting clients', () => {
  const resolved = new Set<string>();
  const asked: string[][] = [];
  const committed = {
    async listResolved(ids: readonly string[]) {
      asked.push([...ids]);
      return ids.filter((id) => resolved.has(id));
    },
  } as Partial<Reader> as Reader;
  beforeEach(() => {
    resolved.clear();
    asked.length = 0;
  });

  test('are woken by another gate’s message only once the database confirms it', async () => {
    const [here, there] = [await openBus(), await openBus()];
    const [room, otherRoom] = [new WaitingRoom(here), new WaitingRoom(there)];
    const stop = pollForResolved({ bus: here, storage: { read: committed } }, room, (error) =>
      errors.push(error),
    );
    const waiter = room.listen('int_1', 60_000);
    otherRoom.wake('int_1');
    otherRoom.wake('int_unwaited');
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    expect(room.waiting).toBe(1);
    expect(asked.flat()).not.toContain('int_unwaited');
    resolved.add('int_1');
    otherRoom.wake('int_1');
    expect(await waiter).toBe(true);
    await stop();
    expect(errors).toEqual([]);
  });

  test('are woken even when the bus delivers nothing', async () => {
    const deaf: Bus = { ...ALONE, shared: true };
    const room = new WaitingRoom(deaf);
    const stop = pollForResolved({ bus: deaf, storage: { read: committed } }, room, (error) =>
      errors.push(error),
    );
    const waiters = ['int_1', 'int_2'].map((id) => room.listen(id, 60_000));
    resolved.add('int_1').add('int_2');
    expect(await Promise.all(waiters)).toEqual([true, true]);
    await stop();
  });

  test('are looked up at once when messages may have been missed', async () => {
    let missed = (): void => {};
    const bus: Bus = {
      ...ALONE,
      shared: true,
      onMissed(listener) {
        missed = listener;
        return () => {};
      },
    };
    const room = new WaitingRoom(bus);
    const stop = pollForResolved({ bus, storage: { read: committed } }, room, (error) => errors.push(error));
    const waiter = room.listen('int_1', 60_000);
    resolved.add('int_1');
    missed();
    expect(await waiter).toBe(true);
    expect(asked).toEqual([['int_1']]);
    await stop();
  });

  test('cause no queries at a gate that has its database to itself', async () => {
    const room = new WaitingRoom();
    await pollForResolved({ bus: ALONE, storage: { read: committed } }, room, (error) =>
      errors.push(error),
    )();
    expect(asked).toEqual([]);
  });
});
