/**
 * Chooses the server to write to: of the hosts in the address, the one that is not a standby. Asks again for every
 * connection, the last answer first, so that a failover needs no manual step.
 *
 * Two hosts may take writes if nobody fenced an old primary. Once a gate has seen the new one's timeline, it neither
 * connects to the old one nor keeps a connection to it.
 */
import { Client } from 'pg';
import { ConnectionLostError, sqlState } from '../postgres-error.ts';
import { isThere } from './pulse.ts';
import { VALUE_TYPES } from './value-types.ts';

export interface SessionSettings {
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  lockTimeoutMs: number;
  /** The server ends a connection whose transaction is open and idle for this long. */
  idleInTransactionTimeoutMs: number;
}

const SESSION: SessionSettings = {
  applicationName: 'permitry',
  connectTimeoutMs: 3000,
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 5000,
  idleInTransactionTimeoutMs: 2000,
};

const KEEPALIVE_AFTER_MS = 5000;
/** How long a server has to show that it is there, and the interval between checks while it does not. */
const PULSE_MS = 1500;
const PULSE_EVERY_MS = 250;
/** How long a promotion may go unnoticed by a gate that still reaches the old primary. */
const POLL_EVERY_MS = 2000;

/**
 * The history of writes that a server continues. A promoted standby begins a new timeline. Whatever its old primary
 * writes from then on is lost, so no caller may be told that it was done.
 */
interface History {
  /** Identifies the database cluster. All its copies have the same. */
  system: string;
  /** Identifies the database in it. Another one with the same name has another. */
  database: string;
  /** Grows with each promotion. */
  timeline: number;
}

export class Servers {
  /** Called when a server was promoted, before anything is sent to it. */
  onPromotion: (() => void) | undefined;
  promotions = 0;
  readonly #addresses: readonly string[];
  readonly #settings: SessionSettings;
  readonly #open = new Map<Client, { address: string; history: History | null }>();
  /** Checks in progress by address, one for all callers. */
  readonly #polls = new Map<string, Promise<boolean>>();
  /** Addresses without a server. Nobody waits for them until one is there again. */
  readonly #silent = new Set<string>();
  #closed = false;
  #last = 0;
  #hasPolled = false;
  /** The latest history that a server continued. */
  #newest: History | undefined;

  /** @param url `postgres://user:password@host:port,host:port/database?sslmode=…` */
  constructor(url: string, settings: Partial<SessionSettings> = {}) {
    this.#addresses = splitHosts(url);
    this.#settings = { ...SESSION, ...settings };
  }

  /**
   * Connects to the server that takes writes. Queries may be sent without waiting for the previous answer.
   *
   * @throws ConnectionLostError when none of the hosts takes writes
   */
  async connect(): Promise<Client> {
    // A gate that knows nothing yet asks all of them, so that it does not begin with one that was left behind.
    if (!this.#hasPolled && this.#addresses.length > 1) await this.poll();
    let failure: unknown;
    for (let tried = 0; tried < this.#addresses.length; tried++) {
      const index = (this.#last + tried) % this.#addresses.length;
      const address = this.#addresses[index] ?? '';
      try {
        if (this.#silent.has(address)) throw new Error('the server does not answer at all');
        const { client, history } = await this.#connectTo(address);
        this.#accept(address, client, history);
        this.#last = index;
        return client;
      } catch (error) {
        failure = error;
      }
    }
    throw new ConnectionLostError(failure);
  }

  /**
   * Whether the server of a connection is there, for a caller that waits for its answer. If not, cuts all connections
   * to it, and new ones fail at once until it is there again.
   */
  async isThere(client: Client): Promise<boolean> {
    const address = this.#open.get(client)?.address;
    if (address === undefined) return true;
    const poll = this.#polls.get(address) ?? this.#pollOne(address);
    this.#polls.set(address, poll);
    const found = await poll;
    this.#polls.delete(address);
    if (!found && !this.#silent.has(address)) {
      this.#silent.add(address);
      for (const [other, { address: its }] of this.#open) if (its === address) cut(other);
      void this.#untilThere(address);
    }
    return found;
  }

  /** Any answer proves it: a server that is too busy, or refuses more connections, is there. */
  async #pollOne(address: string): Promise<boolean> {
    const heard = new Map([...this.#open.keys()].map((client) => [client, bytesOf(client)]));
    if (await isThere(address, PULSE_MS)) return true;
    return [...this.#open].some(
      ([client, its]) => its.address === address && bytesOf(client) > (heard.get(client) ?? 0),
    );
  }

  async #untilThere(address: string): Promise<void> {
    do {
      await new Promise((done) => setTimeout(done, PULSE_EVERY_MS).unref());
    } while (!this.#closed && !(await isThere(address, PULSE_MS)));
    this.#silent.delete(address);
  }

  /** Asks all hosts whether one was promoted. Cuts connections to those that it leaves behind at once. */
  async poll(): Promise<void> {
    const found = await Promise.allSettled(this.#addresses.map((address) => this.#connectTo(address)));
    this.#hasPolled = true;
    for (const [index, result] of found.entries()) {
      if (result.status === 'rejected') continue;
      const { client, history } = result.value;
      try {
        const { timeline = -1 } = this.#newest ?? {};
        this.#accept(this.#addresses[index] ?? '', client, history);
        if (history && history.timeline > timeline) this.#last = index;
      } catch {
        // Thrown to the caller that would have used it.
      }
      client.end().catch(() => {});
    }
  }

  /** Keeps checking until the returned function is called, because an old primary does not know of a promotion. */
  watch(): () => void {
    const close = () => {
      this.#closed = true;
    };
    if (this.#addresses.length === 1) return close;
    let isPolling = false;
    const timer = setInterval(async () => {
      if (isPolling) return;
      isPolling = true;
      await this.poll();
      isPolling = false;
    }, POLL_EVERY_MS).unref();
    return () => {
      clearInterval(timer);
      close();
    };
  }

  /** @throws Error when the server was left behind, or is of another cluster; then it is closed */
  #accept(address: string, client: Client, history: History | null): void {
    const problem = problemWith(history, this.#newest);
    if (problem !== null) {
      client.end().catch(() => {});
      throw new Error(problem);
    }
    this.#open.set(client, { address, history });
    client.once('end', () => this.#open.delete(client));
    if (!history || history.timeline === this.#newest?.timeline) return;
    const isPromotion = this.#newest !== undefined;
    this.#newest = history;
    if (isPromotion) {
      this.promotions += 1;
      this.onPromotion?.();
    }
    for (const [other, { history: its }] of this.#open) if (problemWith(its, history) !== null) cut(other);
  }

  async #connectTo(address: string): Promise<{ client: Client; history: History | null }> {
    const client = new Client({
      connectionString: address,
      application_name: this.#settings.applicationName,
      connectionTimeoutMillis: this.#settings.connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
      types: VALUE_TYPES,
      pipeline: true,
    });
    // The next query gets the error again. Without a listener it would end the process.
    client.on('error', () => {});
    let patience: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      patience = setTimeout(() => cut(client), this.#settings.connectTimeoutMs);
      const { rows } = await client.query<{ standby: number; read_only: string }>(SET_UP, [
        String(this.#settings.statementTimeoutMs),
        String(this.#settings.lockTimeoutMs),
        String(this.#settings.idleInTransactionTimeoutMs),
      ]);
      if (rows[0]?.standby || rows[0]?.read_only === 'on') throw new Error('this server accepts no writes');
      return { client, history: await readHistory(client) };
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    } finally {
      clearTimeout(patience);
    }
  }
}

/** Callers that wait for an answer learn that the connection was lost. */
function cut(client: Client): void {
  const { stream } = client.connection as unknown as { stream: { destroy(): void } };
  stream.destroy();
}

function bytesOf(client: Client): number {
  const { stream } = client.connection as unknown as { stream: { bytesRead: number } };
  return stream.bytesRead;
}

// A lower synchronous_commit for the role or database was not meant for a gate, whose answers promise durability.
const SET_UP = `
  select
    pg_is_in_recovery() as standby,
    current_setting('transaction_read_only') as read_only,
    set_config('statement_timeout', $1, false),
    set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false),
    set_config(
      'synchronous_commit',
      case when current_setting('synchronous_commit') = 'remote_apply' then 'remote_apply' else 'on' end,
      false
    )`;

/** One address for each host of `//user:password@host:port,host:port/`. */
function splitHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] =
    /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
}

/** Not granted, unknown, or not supported: from servers that speak PostgreSQL's protocol but are another product. */
export const UNTOLD: ReadonlySet<string | undefined> = new Set(['42501', '42883', '0A000']);

// Not pg_control_checkpoint(), which shows the promotion only after the next checkpoint.
const READ_HISTORY = `
  select
    (select system_identifier::text from pg_control_system()) as system,
    (select oid::text from pg_database where datname = current_database()) as database,
    substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline`;

/** The history of a server that takes writes. Null if it does not reveal it. */
async function readHistory(client: Client): Promise<History | null> {
  try {
    const { rows } = await client.query<{ system: string; database: string; timeline: string }>(READ_HISTORY);
    const [row] = rows;
    return row ? { ...row, timeline: Number.parseInt(row.timeline, 16) } : null;
  } catch (error) {
    if (UNTOLD.has(sqlState(error))) return null;
    throw error;
  }
}

/** Why a server must not be written to, after one that continued with `newest`. Null: it may be, or there was none. */
function problemWith(history: History | null, newest: History | undefined): string | null {
  if (!newest) return null;
  if (!history) return 'this server does not report its history, and an earlier one did';
  if (history.system !== newest.system) {
    return 'this server has another database cluster than the previous one; if that is intended, restart the gate';
  }
  if (history.database !== newest.database) {
    return 'this is another database with the same name, such as a restored one; restart the gate';
  }
  if (history.timeline >= newest.timeline) return null;
  return (
    `this server is outdated: it is on timeline ${history.timeline}, and another server was promoted to ` +
    `${newest.timeline}`
  );
}
