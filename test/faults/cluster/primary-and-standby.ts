/**
 * A PostgreSQL primary and a synchronous standby: a commit is answered when both have it on their disks. If the primary
 * is lost, the standby becomes the primary and gets another standby.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolder, openSite, PostgresNode, type PostgresSite, type Row } from './postgres-node.ts';
import { Relay } from './relay.ts';

const DATABASE = 'permitry';
/** The role of the gates: it owns the database, and is not a superuser. */
const OWNER = 'permitry_gate';
const STANDBY = 'standby';
const PATIENCE_MS = 120_000;
const RESTART_PAUSE_MS = 200;

interface Parts {
  site: PostgresSite;
  primary: PostgresNode;
  standby: PostgresNode;
  /** The relay from the standby to the primary. */
  replication: Relay;
}

export interface ClusterOptions {
  /**
   * Where the first primary stores its files: on a small disk that can be filled. Default: beside the standby's files.
   */
  primaryHome?: string;
  /** Addresses at which the servers listen besides this machine's own. */
  addresses?: readonly string[];
}

export class PrimaryAndStandby {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Creates both servers, with an empty database.
   *
   * @throws CannotRun when PostgreSQL cannot be started
   */
  static async start(
    folder: string,
    { primaryHome, addresses = [] }: ClusterOptions = {},
  ): Promise<PrimaryAndStandby> {
    const home = join(folder, 'postgres');
    makeFolder(home, {});
    const site = openSite(home, ['127.0.0.1', ...addresses]);
    const [primary, standby] = [
      await PostgresNode.make(site, 'one', primaryHome),
      await PostgresNode.make(site, 'two'),
    ];
    const replication = await Relay.open(() => parts.primary.port);
    const parts: Parts = { site, primary, standby, replication };
    const cluster = new PrimaryAndStandby(parts);
    try {
      primary.initialise();
      await primary.start();
      await primary.sql(`create role ${OWNER} login password '${site.password}'`);
      await primary.sql(`create database ${DATABASE} owner ${OWNER}`);
      await cluster.makeStandby();
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  get primary(): PostgresNode {
    return this.#parts.primary;
  }

  get standby(): PostgresNode {
    return this.#parts.standby;
  }

  /** Ports of both servers, always in the same order. */
  get ports(): readonly number[] {
    return [this.primary.port, this.standby.port].sort((a, b) => a - b);
  }

  /**
   * The address that gates use.
   *
   * @param ports Ports of relays to both servers. Default: their own.
   */
  url(ports: readonly number[] = this.ports, host = '127.0.0.1'): string {
    const hosts = ports.map((port) => `${host}:${port}`).join(',');
    return `postgres://${OWNER}:${this.#parts.site.password}@${hosts}/${DATABASE}`;
  }

  /** Queries the primary, bypassing all gates. */
  query(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.primary.sql(statement, values, DATABASE);
  }

  /** The primary is gone suddenly, and the standby becomes the primary, without another standby. */
  async failOver(): Promise<void> {
    const parts = this.#parts;
    await parts.primary.kill();
    await parts.standby.promote();
    [parts.primary, parts.standby] = [parts.standby, parts.primary];
    parts.replication.drop();
    parts.replication.heal();
  }

  /** Creates a standby as a copy of the running primary. From then on no commit is answered without the standby. */
  async makeStandby(): Promise<void> {
    const { primary, standby, replication, site } = this.#parts;
    await standby.remove();
    await copyOf(primary, standby);
    const from = `host=127.0.0.1 port=${replication.port} user=postgres password=${site.password} application_name=${STANDBY}`;
    writeFileSync(join(standby.data, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
    writeFileSync(join(standby.data, 'standby.signal'), '');
    this.#own(standby);
    await standby.start();
    await this.#until("state = 'streaming'");
    await primary.set('synchronous_standby_names', STANDBY);
    await this.#until("sync_state = 'sync'");
  }

  /** Used by the control: commits are answered without the standby, which no longer receives them. */
  async loseStandbySilently(): Promise<void> {
    await this.primary.set('synchronous_standby_names', '');
    this.#parts.replication.cut();
  }

  /**
   * Restarts the primary whenever it exits, as its supervisor would. `end` stops this and returns the number of
   * restarts.
   */
  supervisePrimary(): { end(): Promise<number> } {
    const { primary } = this.#parts;
    let starts = 0;
    let over = false;
    const supervising = (async () => {
      while (!over) {
        await Promise.race([primary.ended, delay(RESTART_PAUSE_MS)]);
        if (over || primary.isRunning) continue;
        starts += 1;
        // The primary may exit again during its start, as long as the cause lasts.
        await primary.start().catch(() => delay(RESTART_PAUSE_MS));
      }
    })();
    return {
      async end() {
        over = true;
        await supervising;
        return starts;
      },
    };
  }

  /** Cuts the connection to the standby. From then on no commit may be answered. */
  cutReplication(): void {
    this.#parts.replication.cut();
  }

  healReplication(): void {
    this.#parts.replication.heal();
  }

  async remove(): Promise<void> {
    const { primary, standby, replication } = this.#parts;
    await Promise.all([primary.remove(), standby.remove()]);
    replication.close();
  }

  async #until(condition: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const rows = await this.primary.sql(`select 1 from pg_stat_replication where ${condition}`);
      if (rows.length > 0) return;
      await delay(50);
    }
    throw new Error(`the standby did not come to ${condition}:\n${this.standby.log.slice(-3000)}`);
  }

  /** Makes the server's user the owner of these files. */
  #own({ data }: PostgresNode): void {
    const { uid, gid } = this.#parts.site.user;
    if (uid !== undefined) spawnSync('chown', ['-R', `${uid}:${gid}`, data]);
  }
}

/** Copies the files of a running server as its manual describes, because pg_basebackup is not always available. */
async function copyOf(from: PostgresNode, to: PostgresNode): Promise<void> {
  await from.withClient(async (client) => {
    await client.query("select pg_backup_start('standby', true)");
    makeFolder(to.data, {});
    // Files may appear and disappear during the copy. The log of changes since the start of the copy repairs that.
    spawnSync('cp', ['-a', `${from.data}/.`, to.data], { stdio: 'ignore' });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    for (const file of ['postmaster.pid', 'postmaster.opts', 'standby.signal', 'backup_manifest'])
      rmSync(join(to.data, file), { force: true });
    for (const name of readdirSync(join(to.data, 'pg_wal'))) {
      const file = join(to.data, 'pg_wal', name);
      if (statSync(file).isFile()) rmSync(file);
    }
    writeFileSync(join(to.data, 'backup_label'), rows[0]?.labelfile ?? '');
  });
}
