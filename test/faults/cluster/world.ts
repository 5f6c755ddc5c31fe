/**
 * Three gates on one database of two servers, the load on them, and the checks of what they promised. The third gate
 * has a way of its own to the database, which can be cut.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditRecord } from '@permitry/protocol';
import { checkChain } from '../checks/check-chain.ts';
import { findBrokenSeals } from '../checks/find-broken-seals.ts';
import { findDisagreement, findUsedTwice } from '../checks/find-disagreement.ts';
import { findHalfDone } from '../checks/find-half-done.ts';
import { findLost } from '../checks/find-lost.ts';
import { findUnrepeatable } from '../checks/find-unrepeatable.ts';
import { readGate } from '../checks/read-gate.ts';
import { type Cast, makeCast } from '../gate/cast.ts';
import type { Random } from '../random.ts';
import { assertNoFindings } from '../scenario.ts';
import type { SmallDisk } from '../small-disk.ts';
import { Chronicle } from '../stories/chronicle.ts';
import { INTENT_STORIES } from '../stories/intent-stories.ts';
import { tellAll } from '../stories/tell-all.ts';
import { ClusterGate } from './cluster-gate.ts';
import { CONTESTED_STORIES } from './contested-stories.ts';
import { PrimaryAndStandby } from './primary-and-standby.ts';
import { PrivateNetwork } from './private-network.ts';
import { SeveralClients } from './several-clients.ts';
import { openWay, type Way } from './way-to-database.ts';

export interface WorldOptions {
  random: Random;
  /** The first primary keeps its files on it; removed with the world. */
  disk?: SmallDisk;
  /** The third gate is to have a network of its own, where this machine allows it. */
  ownNetwork?: boolean;
}

/** A gate that does not recover by itself in this time does not do it later either. */
const RECOVERY_MS = 120_000;
const NARRATORS = 8;
/** Between stories: what matters is what happens at once, not how much. */
const PAUSE_MS = 100;
const PULSE_MS = 100;

interface Parts {
  folder: string;
  env: NodeJS.ProcessEnv;
  random: Random;
  database: PrimaryAndStandby;
  gates: readonly [ClusterGate, ClusterGate, ClusterGate];
  way: Way;
  cast: Cast;
  disk: SmallDisk | null;
}

export class World {
  readonly database: PrimaryAndStandby;
  /** Of these the first alone has a directory, where it keeps until when it served. */
  readonly gates: readonly [ClusterGate, ClusterGate, ClusterGate];
  /** Of the third gate to the database. */
  readonly way: Way;
  readonly cast: Cast;
  /** Of the first primary, when it is one that can be filled. */
  readonly disk: SmallDisk | null;
  readonly chronicle = new Chronicle();
  readonly client: SeveralClients;
  /** The log, as of the last check. */
  records: readonly AuditRecord[] = [];
  readonly #parts: Parts;
  #loads = 0;
  #probes = 0;
  #endLoad: () => Promise<void> = async () => {};
  /** When this process ends in the middle of it: what is begun here at once is enough. */
  readonly #leaveNothing = (): void => {
    for (const gate of this.gates) void gate.kill();
    void this.database.remove();
    this.way.close();
    this.disk?.remove();
    rmSync(this.#parts.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  #checkedDeeds = 0;
  #since: string | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.database = parts.database;
    this.gates = parts.gates;
    this.way = parts.way;
    this.cast = parts.cast;
    this.disk = parts.disk;
    this.client = new SeveralClients(parts.gates, parts.random);
    process.once('exit', this.#leaveNothing);
  }

  /** @throws CannotRun where PostgreSQL cannot be started */
  static async open(folder: string, { random, disk, ownNetwork }: WorldOptions): Promise<World> {
    // Whom the databases run as must get through; nobody else learns more than that it is there.
    chmodSync(folder, 0o711);
    const network = ownNetwork ? PrivateNetwork.open() : null;
    const undo: (() => unknown)[] = [() => disk?.remove(), () => network?.close()];
    try {
      const database = await PrimaryAndStandby.start(folder, {
        ...(disk ? { primaryHome: disk.path } : {}),
        addresses: network ? [network.databaseHost] : [],
      });
      undo.push(() => database.remove());
      const way = await openWay(network, database.ports);
      undo.push(() => way.close());
      const shared = {
        PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        // Webhooks of the tests are sent to this machine.
        PERMITRY_ALLOW_PRIVATE_TARGETS: '127.0.0.1/32',
      };
      const env = { ...shared, PERMITRY_DATABASE_URL: database.url() };
      const cast = await makeCast(null, env);
      const cuttable = {
        env: { ...shared, PERMITRY_DATABASE_URL: database.url(way.databasePorts, way.databaseHost) },
        ...way.start,
      };
      const directory = join(folder, 'gate');
      mkdirSync(directory);
      const gates = [
        new ClusterGate('1', { env: { ...env, PERMITRY_DATA: directory } }),
        new ClusterGate('2', { env }),
        new ClusterGate('3', cuttable),
      ] as const;
      undo.push(() => Promise.all(gates.map((gate) => gate.kill())));
      await Promise.all(gates.map((gate) => gate.start()));
      return new World({ folder, env, random, database, gates, way, cast, disk: disk ?? null });
    } catch (error) {
      for (const step of undo.reverse()) await step();
      throw error;
    }
  }

  /** @param pauseMs between stories of one narrator */
  startLoad(pauseMs = PAUSE_MS): void {
    this.#loads += 1;
    let over = false;
    const told = tellAll({
      client: this.client,
      cast: this.cast,
      chronicle: this.chronicle,
      random: this.#parts.random,
      name: `l${this.#loads}`,
      narrators: NARRATORS,
      stories: [...INTENT_STORIES, ...CONTESTED_STORIES, ...CONTESTED_STORIES],
      goesOn: true,
      pauseMs,
      isOver: () => over,
    });
    for (const { tally } of this.gates) tally.begin();
    const pulses = this.gates.map((gate) => this.#keepAsking(gate, () => over));
    this.#endLoad = async () => {
      over = true;
      for (const { tally } of this.gates) tally.end();
      await Promise.all([told, ...pulses]);
    };
  }

  /** Resolves when every story has come to its end. */
  async stopLoad(): Promise<void> {
    await this.#endLoad();
    this.#endLoad = async () => {};
  }

  /**
   * Until a gate makes changes, in milliseconds.
   *
   * @throws FaultFound when it does not come to that by itself
   */
  async untilServing(gate: ClusterGate): Promise<number> {
    const started = performance.now();
    while (performance.now() - started < RECOVERY_MS) {
      if (await this.#tryCreate(gate)) return performance.now() - started;
      await delay(50);
    }
    assertNoFindings(
      [`gate ${gate.name} makes no changes after ${RECOVERY_MS} ms`],
      gate.errors.slice(-2000),
    );
    return RECOVERY_MS;
  }

  /** Of all gates at once: the longest. */
  async untilAllServing(): Promise<number> {
    return Math.max(...(await Promise.all(this.gates.map((gate) => this.untilServing(gate)))));
  }

  /** Holds everything that was answered against what is there, and answers what is wrong. Nothing else is asked meanwhile. */
  async findWrongs(): Promise<string[]> {
    const { chronicle, cast, client } = this;
    const { env, folder } = this.#parts;
    await this.untilAllServing();
    chronicle.settle();
    const findings = [...chronicle.surprises, ...this.gates.flatMap(({ hangs }) => hangs)];
    if (chronicle.surprises.length > 0)
      findings.push(
        ...this.gates.flatMap(({ name, errors }) =>
          tellingLines(errors).map((line) => `gate ${name}: ${line}`),
        ),
      );
    const unchecked = chronicle.deeds.slice(this.#checkedDeeds);
    findings.push(...(await findUnrepeatable(client, unchecked, chronicle.deeds)));
    this.#checkedDeeds = chronicle.deeds.length;
    const seen = await readGate(client, cast, async () => {
      const chain = await checkChain(client, cast, { dataDir: null, env, folder, since: this.#since });
      findings.push(...chain.findings);
      this.#since = chain.head;
      this.records = chain.records;
      return chain.records;
    });
    findings.push(
      ...findLost(seen, chronicle),
      ...(await findHalfDone(seen, cast)),
      ...findUsedTwice(chronicle),
      ...(await findDisagreement(this.gates, cast)),
      ...(await findBrokenSeals(this.database)),
    );
    return findings;
  }

  /** As a gate of this cluster is started. */
  get env(): NodeJS.ProcessEnv {
    return this.#parts.env;
  }

  /** For what is left here until the world is closed. */
  get folder(): string {
    return this.#parts.folder;
  }

  /** What was counted since the start. */
  get counts(): string {
    const tallies = this.gates.map(({ tally }) => tally);
    const sum = (of: 'requests' | 'acknowledged' | 'refused' | 'unavailable' | 'unknown') =>
      tallies.reduce((all, tally) => all + tally[of], 0);
    const gaps = tallies.map(({ longestGapMs }) => `${(longestGapMs / 1000).toFixed(1)} s`);
    return (
      `${sum('requests')} requests, ${sum('acknowledged')} acknowledged, ${sum('refused')} refused, ` +
      `${sum('unavailable')} unavailable, ${sum('unknown')} with unknown outcome, ${this.client.repeated} repeated; ` +
      `longest time without a success: ${gaps.join(', ')}`
    );
  }

  /** A client of one gate alone, which shows when that gate makes changes and when not. */
  async #keepAsking(gate: ClusterGate, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#tryCreate(gate);
      await delay(PULSE_MS);
    }
  }

  async #tryCreate(gate: ClusterGate): Promise<boolean> {
    this.#probes += 1;
    const marker = `probe_${this.#probes}`;
    const body = { action: 'iam.grant', params: { n: marker } };
    const ask = { method: 'POST' as const, path: '/v1/intents', key: this.cast.agentKey, body };
    try {
      await this.chronicle.tell(gate, 'create', marker, ask);
      return true;
    } catch {
      // What it should not have answered is among the chronicle's surprises.
      return false;
    }
  }

  async close(): Promise<void> {
    process.off('exit', this.#leaveNothing);
    await Promise.all(this.gates.map((gate) => gate.kill()));
    await this.#endLoad();
    await this.database.remove();
    this.way.close();
    this.disk?.remove();
  }
}

/** What a gate could not explain to itself. */
function tellingLines(errors: string): string[] {
  return errors
    .split('\n')
    .filter((line) => line.includes('"req_') || line.includes('internal'))
    .slice(-MOST_LINES);
}

const MOST_LINES = 5;
