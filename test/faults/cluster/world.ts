/**
 * Three gates on one database of two servers, the load on them, and the checks of their promises. The third gate has a
 * separate connection to the database, which can be cut.
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
  /** The disk on which the first primary stores its files. Removed with the world. */
  disk?: SmallDisk;
  /** Gives the third gate its own network, if this machine allows it. */
  ownNetwork?: boolean;
}

/** A gate that does not recover on its own in this time is considered never to recover. */
const RECOVERY_MS = 120_000;
const NARRATORS = 8;
/** The pause between two stories, because simultaneous requests matter here and their number does not. */
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
  /** Only the first gate has a directory, in which it records the time until which it served. */
  readonly gates: readonly [ClusterGate, ClusterGate, ClusterGate];
  /** The third gate's connection to the database. */
  readonly way: Way;
  readonly cast: Cast;
  /** The first primary's disk, if it can be filled. */
  readonly disk: SmallDisk | null;
  readonly chronicle = new Chronicle();
  readonly client: SeveralClients;
  /** The log at the last check. */
  records: readonly AuditRecord[] = [];
  readonly #parts: Parts;
  #loads = 0;
  #probes = 0;
  #endLoad: () => Promise<void> = async () => {};
  /** Runs when this process ends early. Nothing needs to wait until the clean-up ends. */
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

  /** @throws CannotRun when PostgreSQL cannot be started */
  static async open(folder: string, { random, disk, ownNetwork }: WorldOptions): Promise<World> {
    // The databases' user must be able to open folders below this one. Other users may not list it.
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
        // The tests send webhooks to this machine.
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

  /** @param pauseMs Between two stories of one narrator. */
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

  /** Resolves when every story has ended. */
  async stopLoad(): Promise<void> {
    await this.#endLoad();
    this.#endLoad = async () => {};
  }

  /**
   * The milliseconds until a gate makes changes.
   *
   * @throws FaultFound when the gate never does so on its own
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

  /** The longest of the times of all gates. */
  async untilAllServing(): Promise<number> {
    return Math.max(...(await Promise.all(this.gates.map((gate) => this.untilServing(gate)))));
  }

  /**
   * Compares everything that was answered with the current state, and returns the problems. No requests may be sent
   * during the comparison.
   */
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

  /** The environment of this cluster's gates. */
  get env(): NodeJS.ProcessEnv {
    return this.#parts.env;
  }

  /** For files that are kept until the world is closed. */
  get folder(): string {
    return this.#parts.folder;
  }

  /** The counts since the start. */
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

  /** Sends requests to one gate alone, to show when that gate makes changes. */
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
      // The chronicle records a wrong answer as a surprise.
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

/** Lines about errors that a gate could not explain. */
function tellingLines(errors: string): string[] {
  return errors
    .split('\n')
    .filter((line) => line.includes('"req_') || line.includes('internal'))
    .slice(-MOST_LINES);
}

const MOST_LINES = 5;
