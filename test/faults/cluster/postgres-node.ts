/** One PostgreSQL server of the cluster: a directory, a port, and a process that can be killed like a machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from '../../../packages/server/test/fixtures/free-port.ts';
import { findPostgresBinaries } from '../../../packages/server/test/fixtures/postgres/find-binaries.ts';
import {
  findServerUser,
  type ServerUser,
} from '../../../packages/server/test/fixtures/postgres/server-user.ts';
import { withinReach } from '../../../packages/server/test/fixtures/postgres/start-server.ts';
import { CannotRun } from '../scenario.ts';

/** What all servers of a cluster share. */
export interface PostgresSite {
  /** The folder of PostgreSQL's programs. */
  bin: string;
  user: ServerUser;
  password: string;
  /** A folder for these servers alone. Each server has a folder in it. */
  folder: string;
  /** Addresses at which the servers listen. */
  addresses: readonly string[];
}

/** Anything slower than this is considered lost. */
const PATIENCE_MS = 120_000;

/** fsync is on, as by default: nothing here may be faster than production. */
const SETTINGS: Readonly<Record<string, string>> = {
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '32MB',
  wal_level: 'replica',
  wal_keep_size: '64MB',
  min_wal_size: '8MB',
  max_wal_size: '64MB',
  hot_standby: 'on',
  wal_sender_timeout: '5s',
  wal_receiver_timeout: '5s',
  wal_retrieve_retry_interval: '200ms',
  // Other kinds of memory would remain after a server is killed.
  dynamic_shared_memory_type: 'mmap',
};

/** @throws CannotRun without PostgreSQL, or without a user to run it as */
export function openSite(folder: string, addresses: readonly string[]): PostgresSite {
  try {
    const user = findServerUser();
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const bin = withinReach(findPostgresBinaries().directory, user, folder);
    return { bin, user, folder, addresses, password: randomBytes(16).toString('hex') };
  } catch (error) {
    throw new CannotRun(`PostgreSQL cannot be started here: ${(error as Error).message}`);
  }
}

export class PostgresNode {
  readonly name: string;
  readonly site: PostgresSite;
  readonly port: number;
  /** The directory of everything that the server writes. */
  readonly data: string;
  readonly #log: string;
  #process: ChildProcess | null = null;
  #ended: Promise<unknown> = Promise.resolve();

  private constructor(site: PostgresSite, name: string, port: number, home: string) {
    this.site = site;
    this.name = name;
    this.port = port;
    this.data = join(home, `${name}-data`);
    this.#log = join(site.folder, `${name}.log`);
  }

  /** @param home The parent of the server's directory. Default: the site's folder. */
  static async make(site: PostgresSite, name: string, home = site.folder): Promise<PostgresNode> {
    return new PostgresNode(site, name, await findFreePort(), home);
  }

  /** Creates the directory of a first primary. */
  initialise(): void {
    const { site } = this;
    const file = join(site.folder, 'password');
    writeFileSync(file, site.password, { mode: 0o644 });
    this.run('initdb', [
      ...['--pgdata', this.data, '--username', 'postgres', '--pwfile', file, '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--wal-segsize', '4', '--no-instructions'],
    ]);
    appendFileSync(join(this.data, 'pg_hba.conf'), 'host all,replication all all scram-sha-256\n');
  }

  /** Runs one of PostgreSQL's programs to its end. */
  run(program: string, args: readonly string[]): void {
    const { status, stderr, error } = spawnSync(join(this.site.bin, program), args, {
      ...this.site.user,
      cwd: this.site.folder,
      env: { ...process.env, LC_ALL: 'C' },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr || error?.message}`);
  }

  get isRunning(): boolean {
    return this.#process !== null && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Resolves when the server's process ends, for any reason. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /**
   * Starts the server and waits until it answers.
   *
   * @throws Error with the end of the server's log, when the server exits or does not answer
   */
  async start(): Promise<void> {
    const listening = { listen_addresses: this.site.addresses.join(','), port: String(this.port) };
    // A log file outlives its writer. A pipe would kill the server if this process reads too slowly.
    const log = openSync(this.#log, 'a');
    const options = Object.entries({ ...SETTINGS, ...listening }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const child = spawn(join(this.site.bin, 'postgres'), ['-D', this.data, ...options], {
      ...this.site.user,
      cwd: this.site.folder,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#process = child;
    this.#ended = once(child, 'close');
    await this.#untilAnswering();
  }

  async #untilAnswering(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (this.isRunning && performance.now() < deadline) {
      try {
        await this.sql('select 1');
        return;
      } catch {
        await delay(50);
      }
    }
    throw new Error(`PostgreSQL ${this.name} does not answer:\n${this.log.slice(-3000)}`);
  }

  get log(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8') : '';
  }

  /** Runs one statement as a superuser, on a connection of its own. */
  sql(statement: string, values: readonly unknown[] = [], database = 'postgres'): Promise<Row[]> {
    return this.withClient(
      async (client) => (await client.query<Row>(statement, [...values])).rows,
      database,
    );
  }

  async withClient<T>(work: (client: Client) => Promise<T>, database = 'postgres'): Promise<T> {
    const client = new Client({
      host: '127.0.0.1',
      port: this.port,
      user: 'postgres',
      password: this.site.password,
      database,
      connectionTimeoutMillis: 30_000,
    });
    // A lost connection rejects the pending query, which is enough.
    client.on('error', () => {});
    try {
      await client.connect();
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Kills all processes of the server simultaneously, as when the machine is lost: no process finishes anything. */
  async kill(): Promise<void> {
    const pid = this.#process?.pid;
    if (pid === undefined || !this.isRunning) return;
    const children = childrenOf(pid);
    for (const one of [pid, ...children]) signal(one, 'SIGKILL');
    this.#removeSharedMemory();
    await this.#ended;
  }

  /** Waits for no clients, and leaves the disk in order. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.#process?.kill('SIGINT');
    await this.#ended;
  }

  /** Stops the server, and removes its directory. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.data, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  /** Makes the server a primary. Resolves when it accepts writes. */
  async promote(): Promise<void> {
    const [row] = await this.sql(`select pg_promote(true, ${PATIENCE_MS / 1000}) as promoted`);
    if (row?.promoted !== true) throw new Error(`${this.name} was not promoted:\n${this.log.slice(-3000)}`);
  }

  /** Changes a setting permanently, and reloads it. */
  async set(setting: string, value: string): Promise<void> {
    await this.sql(`alter system set ${setting} = '${value}'`);
    await this.sql('select pg_reload_conf()');
  }

  /**
   * A killed server leaves a small piece of shared memory, by which the next server recognises whether any process is
   * left.
   */
  #removeSharedMemory(): void {
    const file = join(this.data, 'postmaster.pid');
    if (!existsSync(file)) return;
    const [, id] = (readFileSync(file, 'utf8').split('\n')[6] ?? '').trim().split(/\s+/);
    if (id !== undefined) spawnSync('ipcrm', ['-m', id], { ...this.site.user, stdio: 'ignore' });
  }
}

export type Row = Record<string, unknown>;

export function makeFolder(path: string, user: ServerUser): void {
  mkdirSync(path, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number | null {
  try {
    // The process's name is in brackets and may contain anything. Its state and parent follow.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(parent);
  } catch {
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}
