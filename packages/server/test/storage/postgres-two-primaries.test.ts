/** Two servers take writes: a standby was promoted, and nobody stopped its old primary. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { DEFAULT_POLICY } from '../../src/gate/policy/default-policy.ts';
import { openGate } from '../../src/open-gate.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { findFreePort } from '../fixtures/free-port.ts';
import { TEST_KEY_SETTINGS } from '../fixtures/open-test-gate.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { findPostgresBinaries } from '../fixtures/postgres/find-binaries.ts';
import { makeRoom } from '../fixtures/postgres/room.ts';
import { findServerUser } from '../fixtures/postgres/server-user.ts';
import { startServer, stopServer, withinReach } from '../fixtures/postgres/start-server.ts';
import { aProject, at } from './conformance/samples.ts';

const rooms: string[] = [];
const storages: { close(): Promise<void> }[] = [];
const relays: Server[] = [];
/** `host:port` of each server, and a gate's login. */
let old: string;
let promoted: string;
let login: string;

beforeAll(async () => {
  const room = makeRoom();
  rooms.push(room);
  const url = new URL(
    await startServer(room, process.pid, findPostgresBinaries(), {
      wal_level: 'replica',
      max_wal_senders: '1',
    }),
  );
  old = url.host;
  await withClient(url.href, async (client) => {
    await client.query(`create role gate login password '${url.password}'`);
    await client.query('create database gates owner gate');
  });
  // An ordinary role, as gates have.
  login = `gate:${url.password}`;
  await (await open(old)).transaction(async (tx) => {
    await tx.insertProject(aProject());
    await tx.insertPolicyVersion({
      projectId: 'prj_1',
      version: 1,
      hash: 'x',
      document: DEFAULT_POLICY,
      createdAt: at(0),
      createdBy: 'usr_1',
    });
  });
  await closeAll();
  promoted = await promoteCopyOf(room);
});
afterEach(closeAll);
afterAll(() => {
  for (const relay of relays) relay.close();
  for (const room of rooms) stopServer(room);
});

async function open(...hosts: string[]): Promise<OpenStorage> {
  const storage = await openPostgresStorage({
    url: `postgres://${login}@${hosts.join()}/gates`,
    retryForMs: 100,
  });
  storages.push(storage);
  return storage;
}

async function closeAll(): Promise<void> {
  for (const storage of storages.splice(0)) await storage.close();
}

/** Recovers a copy of the server's files to their end, and starts it as the primary of a new timeline. */
async function promoteCopyOf(room: string): Promise<string> {
  const user = findServerUser();
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      ...user,
      cwd: room,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: 'ignore',
    });
  const bin = withinReach(findPostgresBinaries().directory, user, room);
  const [data, copy] = [join(room, 'data'), join(room, 'copy')];
  const options = readFileSync(join(data, 'postmaster.opts'), 'utf8').trim();
  run(join(bin, 'pg_ctl'), 'stop', '-w', '-m', 'fast', '-D', data);
  run('cp', '-a', data, copy);
  const port = await findFreePort();
  const settings = options.slice(options.indexOf(' ') + 1).replaceAll('"', '');
  run(
    join(bin, 'pg_ctl'),
    'start',
    '-w',
    '-D',
    data,
    '-l',
    join(room, 'log'),
    '-o',
    withoutDirectory(settings),
  );
  writeFileSync(join(copy, 'recovery.signal'), '');
  const moved = withoutDirectory(settings).replace(/port=\d+/, `port=${port} -c restore_command=false`);
  run(join(bin, 'pg_ctl'), 'start', '-w', '-D', copy, '-l', join(room, 'log2'), '-o', moved);
  const host = `127.0.0.1:${port}`;
  await vi.waitFor(() => withClient(`postgres://${login}@${host}/gates`, assertPrimary), {
    timeout: 30_000,
    interval: 50,
  });
  return host;
}

async function assertPrimary(client: Client): Promise<void> {
  const { rows } = await client.query('select pg_is_in_recovery() as standby');
  expect(rows).toEqual([{ standby: false }]);
}

function withoutDirectory(options: string): string {
  return options.replace(/-D \S+ /, '');
}

/** A proxy to a server. It is closed until the test opens it. */
async function openRelay(host: string): Promise<{ address: string; open(): void; close(): void }> {
  const sockets = new Set<Socket>();
  let isOpen = false;
  const relay = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const server = connect(Number(host.split(':')[1]), '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const { port } = relay.address() as AddressInfo;
  relays.push(relay);
  return {
    address: `127.0.0.1:${port}`,
    open: () => {
      isOpen = true;
    },
    close: () => {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
    },
  };
}

const hold = async (host: string, id: string) => {
  const { rowCount } = await withClient(`postgres://${login}@${host}/gates`, (client) =>
    client.query('select from projects where id = $1', [id]),
  );
  return rowCount === 1;
};

it('a gate that is configured with both servers starts with the promoted one, in either order', async () => {
  for (const [index, hosts] of [
    [old, promoted],
    [promoted, old],
  ].entries()) {
    const id = `prj_named_${index}`;
    await (await open(...hosts)).transaction((tx) => tx.insertProject(aProject({ id })));
    expect([await hold(old, id), await hold(promoted, id)]).toEqual([false, true]);
  }
});

it('connections to an old primary are cut as soon as the new one is seen', async () => {
  // The new primary cannot be reached at first, so the gate cannot know about it.
  const relay = await openRelay(promoted);
  const storage = await open(old, relay.address);
  await storage.transaction((tx) => tx.insertProject(aProject({ id: 'prj_before' })));
  expect(await hold(old, 'prj_before')).toBe(true);
  expect(storage.stats().promotions).toBe(0);
  relay.open();
  await expect.poll(() => storage.read.findProject('prj_before')).toBeUndefined();
  expect(storage.stats().promotions).toBe(1);
  await storage.transaction((tx) => tx.insertProject(aProject({ id: 'prj_after' })));
  expect([await hold(old, 'prj_after'), await hold(promoted, 'prj_after')]).toEqual([false, true]);
  // The new primary becomes unreachable. The gate uses no server rather than the old primary.
  relay.close();
  await expect(storage.read.findProject('prj_1')).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(
    storage.transaction((tx) => tx.insertProject(aProject({ id: 'prj_late' }))),
  ).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await hold(old, 'prj_late')).toBe(false);
});

it('a gate forgets what it cached by revision, because the promoted server continues from its own revision', async () => {
  const relay = await openRelay(promoted);
  const gate = await openGate({
    database: { url: `postgres://${login}@${old},${relay.address}/gates` },
    issuer: 'http://localhost:4000',
    signingKeys: TEST_KEY_SETTINGS,
  });
  storages.push(gate);
  const rename = (host: string, name: string) =>
    withClient(`postgres://${login}@${host}/gates`, (client) =>
      client.query('update projects set name = $1, revision = revision + 1 where id = $2', [name, 'prj_1']),
    );
  await rename(old, 'as it was on the old one');
  await rename(promoted, 'as it is');
  const name = async () => (await gate.gate.projectSettings.current('prj_1')).name;
  expect(await name()).toBe('as it was on the old one');
  relay.open();
  await expect.poll(() => name().catch(() => '')).toBe('as it is');
});

it('a commit is not reported as durable if its wait for the standby was cancelled', async () => {
  const storage = await open(old);
  const server = `postgres://postgres:${login.split(':')[1]}@${old}/gates`;
  const standbys = (names: string) =>
    withClient(server, async (client) => {
      await client.query(`alter system set synchronous_standby_names = '${names}'`);
      await client.query('select pg_reload_conf()');
    });
  /** Cancels every wait of a commit for a standby until `ended`. Returns false if no commit waited. */
  const spareUntil = async (ended: Promise<unknown>): Promise<boolean> => {
    let isOver = false;
    let hasSpared = false;
    const over = () => {
      isOver = true;
    };
    ended.then(over, over);
    await withClient(server, async (client) => {
      while (!isOver) {
        const { rowCount } = await client.query(
          "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'",
        );
        hasSpared ||= rowCount === 1;
        await client.query('select pg_sleep(0.02)');
      }
    });
    return hasSpared;
  };
  await standbys('nobody');
  try {
    // The setting takes effect some time later: probe until a commit waits.
    const probe = () => withClient(server, (client) => client.query("comment on database gates is 'probed'"));
    while (!(await spareUntil(probe())));
    for (const guarded of [false, true]) {
      const told = storage.transaction((tx) => tx.insertProject(aProject({ id: `prj_spared_${guarded}` })), {
        guarded,
      });
      const refused = expect(told).rejects.toThrow('whether it was made is not known');
      expect(await spareUntil(told)).toBe(true);
      await refused;
    }
  } finally {
    await standbys('');
  }
});

it('both servers have the same database identity, if the server reveals it', async () => {
  const identity = await (await open(promoted)).identity();
  expect(identity).toMatch(/^\d+\/\d+\/\d+$/);
  expect(await (await open(old)).identity()).toBe(identity);
  const may = (words: string) =>
    withClient(`postgres://postgres:${login.slice('gate:'.length)}@${old}/gates`, (client) =>
      client.query(`${words} public`),
    );
  await may('revoke execute on function pg_control_system() from');
  try {
    expect(await (await open(old)).identity()).toBe('untold');
  } finally {
    await may('grant execute on function pg_control_system() to');
  }
});
