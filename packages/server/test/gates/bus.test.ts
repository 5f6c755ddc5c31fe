/** Gates that hear one another through PostgreSQL. */
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ALONE, type Bus } from '../../src/gate/kernel/bus.ts';
import type { Reader } from '../../src/storage/nouns.ts';
import { PostgresBus } from '../../src/storage/postgres/bus/bus.ts';
import { Servers } from '../../src/storage/postgres/connections/servers.ts';
import { pollForResolved } from '../../src/streams/poll-for-resolved.ts';
import { WaitingRoom } from '../../src/streams/wakeups.ts';
import { borrowTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';

/** Of this test's database alone: other tests share the server. */
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

test('what one gate tells, all others hear, and itself does not', async () => {
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

test('many at once arrive, once each, in few messages', async () => {
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

test('a listener that has unsubscribed hears nothing further', async () => {
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

test('messages that are none are passed over, and a listener that fails harms nobody', async () => {
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
  // What cannot be an id is not even sent.
  for (const id of ['', 'a b', 'a,b', `'; drop table events`, 'x'.repeat(500)]) one.tell('resolved', id);
  one.tell('resolved', 'int_1');
  await expect.poll(() => heard).toEqual(['int_1']);
  expect(errors.map(String)).toEqual(['Error: a broken listener']);
});

test('of whoever floods the channel little is heard, and what comes afterwards is', async () => {
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

test('after an outage it hears again, and says that it may have missed something', async () => {
  const [one, two] = [await openBus(), await openBus()];
  const heard = heardBy(two);
  let missed = 0;
  two.onMissed(() => {
    missed += 1;
  });
  for (let outage = 1; outage <= 3; outage += 1) {
    await cutAll();
    await expect.poll(() => missed).toBe(outage);
    // Until the other has noticed as well, it takes itself for connected.
    await expect.poll(() => errors.length).toBe(2 * outage);
    await expect.poll(() => one.connected).toBe(true);
    one.tell('resolved', `int_${outage}`);
    await expect.poll(() => heard.at(-1)).toBe(`int_${outage}`);
  }
  // Once for each outage of each bus, however often it tried.
  expect(errors.length).toBe(6);
});

test('what is told while there is no connection is told later, and what is left when it closes', async () => {
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

test('what is told before there was a connection is told, even by one that closes at once', async () => {
  const heard = heardBy(await openBus());
  const servers = new Servers(database.url, { applicationName: 'bus' });
  const brief = new PostgresBus({ connect: () => servers.connect(), onError: (error) => errors.push(error) });
  brief.tell('resolved', 'int_1');
  await brief.close();
  await expect.poll(() => heard).toEqual(['int_1']);
  // One that nobody hears is not waited for.
  const nowhere = new PostgresBus({
    connect: () => Promise.reject(new Error('nowhere')),
    onError: (error) => errors.push(error),
  });
  await nowhere.close();
  expect(errors.map(String)).not.toContain('Error: the bus is closed');
});

test('a server that is gone without a word is noticed', async () => {
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
  // The server's process stands still: the connection is there, and nobody answers.
  const { rows } = await client.query(`select pid from ${CONNECTIONS}`);
  const pid = Number(rows[0]?.pid);
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    // Another user's process: then a bus that cannot be answered in time stands for it.
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

describe('those who wait', () => {
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

  test('are woken by what another gate tells once it is true, and by no rumour', async () => {
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

  test('are woken although the bus brings nothing', async () => {
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

  test('are looked for at once when something may have been missed', async () => {
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

  test('cost a gate that has its database to itself nothing', async () => {
    const room = new WaitingRoom();
    await pollForResolved({ bus: ALONE, storage: { read: committed } }, room, (error) =>
      errors.push(error),
    )();
    expect(asked).toEqual([]);
  });
});
