/** PostgreSQL connections under many simultaneous queries, and when they break. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Reader, Transaction } from '../../src/storage/nouns.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { anAgent, anEvent, anIntent, aProject, at } from './conformance/samples.ts';

let database: TestDatabase;
let storage: OpenStorage;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.clear();
  storage = await open(database.url);
  await storage.transaction((tx) => tx.insertProject(aProject()));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(url: string, options: Partial<Parameters<typeof openPostgresStorage>[0]> = {}) {
  const opened = await openPostgresStorage({ url, ...options });
  closing.push(() => opened.close());
  return opened;
}

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);
const create = (id: string) => async (tx: Transaction) => {
  await tx.isAtRevision('prj_1', 1);
  await tx.insertIntent(anIntent(id));
  await tx.insertEvent(anEvent(`evt_${id}`, { intentId: id }));
};

describe('simultaneous reads', () => {
  it('return what each returns alone, in fewer statements', async () => {
    await storage.transaction((tx) => tx.insertProject(aProject({ id: 'prj_2' })));
    await storage.transaction(async (tx) => {
      for (const n of indexes(5)) await tx.insertAgent(anAgent(`agt_${n}`));
      for (const n of indexes(30)) {
        const agentId = n % 2 ? 'agt_1' : null;
        await tx.insertIntent(anIntent(`int_${n}`, { agentId, projectId: n % 3 ? 'prj_1' : 'prj_2' }));
      }
    });
    const questions: ((read: Reader) => Promise<unknown>)[] = [
      ...[...indexes(35), 3, 3].map((n) => (read: Reader) => read.findIntent(`int_${n}`)),
      ...indexes(7).map((n) => (read: Reader) => read.findAgent('prj_1', `agt_${n}`)),
      ...indexes(3).map((n) => (read: Reader) => read.findProject(`prj_${n}`)),
      ...indexes(4).map(
        (limit) => (read: Reader) => read.listIntents({ projectIds: ['prj_1', 'prj_2'], limit: limit + 1 }),
      ),
      ...[9, 20].map(
        (n) => (read: Reader) =>
          read.listIntents({ projectIds: ['prj_1'], agentId: 'agt_1', limit: 3, beforeId: `int_${n}` }),
      ),
      ...indexes(3).map((limit) => (read: Reader) => read.listDueIntents(at(99_999), limit)),
      ...['prj_1', 'prj_2', 'prj_3'].map((id) => (read: Reader) => read.listAgents(id, { limit: 10 })),
    ];
    const alone: unknown[] = [];
    for (const ask of questions) alone.push(await ask(storage.read));
    // The first call also reads the types from the server.
    await Promise.all(questions.map((ask) => ask(storage.read)));
    const before = storage.stats().statementsRead;
    expect(await Promise.all(questions.map((ask) => ask(storage.read)))).toEqual(alone);
    expect(storage.stats().statementsRead - before).toBeLessThan(questions.length / 2);
  });

  it('never see uncommitted data', async () => {
    let seen: unknown = 'not asked';
    await storage.transaction(
      async (tx) => {
        await create('int_1')(tx);
        seen = await storage.read.findIntent('int_1');
      },
      { guarded: true },
    );
    expect(seen).toBeUndefined();
    expect(await storage.read.findIntent('int_1')).toBeDefined();
  });
});

/** A proxy between gate and database. It cuts the first connection in which it sees the words. */
async function cutAt(words: string): Promise<{ url: string; cuts: () => number }> {
  const address = new URL(database.url);
  const { hostname } = address;
  const port = Number(address.port);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server: Server = createServer((client) => {
    const upstream = connect(port, hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (bytes) => {
      if (cuts === 0 && bytes.includes(words)) {
        cuts += 1;
        // The server receives the statement, but the gate gets no answer.
        upstream.write(bytes);
        client.destroy();
        return;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => client.write(bytes));
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const listening = server.address();
  address.port = String(typeof listening === 'object' && listening ? listening.port : 0);
  return { url: address.href, cuts: () => cuts };
}

describe('a connection lost', () => {
  it.each([{ guarded: true }, { guarded: false }])(
    'at the commit (guarded: $guarded) makes the result unknown, and the error says so',
    async (how) => {
      const proxy = await cutAt('commit\0');
      const gate = await open(proxy.url, { schema: 'check' });
      const told = await gate.transaction(create('int_1'), how).catch((error: unknown) => error);
      expect(proxy.cuts()).toBe(1);
      expect(told).toMatchObject({ code: 'service_unavailable' });
      expect((told as Error).message).toContain('not known');
      expect((told as Error).message).not.toContain('nothing was changed');
      expect(await gate.transaction(async (tx) => tx.findProject('prj_1'), how)).toBeDefined();
    },
  );

  it.each([{ guarded: true }, { guarded: false }])(
    'before the commit (guarded: $guarded) does not matter, because the transaction runs again',
    async (how) => {
      const proxy = await cutAt('insert into "events"');
      const gate = await open(proxy.url, { schema: 'check' });
      await gate.transaction(create('int_1'), how);
      expect(proxy.cuts()).toBe(1);
      expect(await storage.read.countUnsealedEvents('prj_1')).toBe(1);
    },
  );

  it('during a read does not matter, because the query is sent again', async () => {
    const proxy = await cutAt('from "projects"');
    const gate = await open(proxy.url, { schema: 'check' });
    expect(await gate.read.findProject('prj_1')).toEqual(aProject());
    expect(proxy.cuts()).toBe(1);
  });

  it('for good makes every call fail as unavailable, with nothing changed', async () => {
    const proxy = await cutAt('nothing that is ever said');
    const gate = await open(proxy.url, { schema: 'check', retryForMs: 50 });
    await gate.read.findProject('prj_1');
    await closing.pop()?.();
    await closing.pop()?.();
    const unavailable = { code: 'service_unavailable' };
    await expect(gate.read.findProject('prj_1')).rejects.toMatchObject(unavailable);
    await expect(gate.transaction(create('int_1'))).rejects.toMatchObject(unavailable);
    await expect(gate.transaction(create('int_2'), { guarded: true })).rejects.toMatchObject(unavailable);
    expect(await storage.read.countUnsealedEvents('prj_1')).toBe(0);
  });
});

describe('an address of several hosts', () => {
  it('leads to the host that accepts writes', async () => {
    const { username, password, hostname, port, pathname } = new URL(database.url);
    const gate = await open(`postgres://${username}:${password}@127.0.0.1:1,${hostname}:${port}${pathname}`);
    await gate.transaction(create('int_1'), { guarded: true });
    expect(await storage.read.findIntent('int_1')).toBeDefined();
  });

  it('is refused when no host accepts writes', async () => {
    await expect(
      openPostgresStorage({ url: 'postgres://a:b@127.0.0.1:1,127.0.0.1:2/c' }),
    ).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });
});
