/** A measured gate: its process, its store, and what the benchmark knows about the store's content. */
import { join } from 'node:path';
import type { JsonObject } from '@permitry/protocol';
import { type ChildServer, startChild } from './child-server.ts';
import { SERVER_CORE } from './cores.ts';
import { createShim, type FsyncShim } from './fsync-shim.ts';
import type { Prepared } from './http-connection.ts';
import { runLoad } from './load.ts';
import { dataOf, type Manifest, type SeededPending } from './store/manifest.ts';
import type { Store } from './store/prepare-store.ts';
import { createBody } from './workload.ts';

/** An intent, and the agent (of the manifest) that created it. */
interface Known {
  id: string;
  agent: number;
}

export interface IssuedPermit {
  token: string;
  params: JsonObject;
  agent: number;
}

export interface SubjectOptions {
  store: Store;
  /** Number of permits to prepare, none of which the measured process has seen. */
  permits: number;
  shimLibrary: string | undefined;
  core?: number | string;
  /** Environment variables: the database if it is not in the store, and the limiter if it is on. */
  env?: Record<string, string>;
}

const GATE_SERVER = join(import.meta.dirname, 'gate-server.ts');

export class Subject {
  readonly server: ChildServer;
  readonly shim: FsyncShim | undefined;
  readonly store: Store;
  /** Length of the first project's chain when it was last sealed. */
  chainLength = 0;
  readonly #manifest: Manifest;
  readonly #permits: IssuedPermit[];
  #taken: readonly IssuedPermit[] = [];
  /** `#made`: created in this round. `#undecided`: those of them that nobody has decided yet. */
  #made: Known[] = [];
  #undecided: Known[] = [];
  #approved: Known[] = [];
  #issuedHere: readonly IssuedPermit[] = [];
  #nextIndex: number;
  #nextKnown = 0;
  #stopped = false;

  private constructor(
    server: ChildServer,
    shim: FsyncShim | undefined,
    store: Store,
    permits: IssuedPermit[],
  ) {
    this.server = server;
    this.shim = shim;
    this.store = store;
    this.#manifest = store.manifest;
    this.#permits = permits;
    this.#nextIndex = store.manifest.count + permits.length;
  }

  /**
   * Starts two processes one after the other: one that issues permits, and the measured one, which has never seen those
   * permits.
   */
  static async start({
    store,
    permits,
    shimLibrary,
    core = SERVER_CORE,
    env = {},
  }: SubjectOptions): Promise<Subject> {
    const dataDir = dataOf(store.directory);
    const issuer = await startChild(GATE_SERVER, { core: SERVER_CORE, args: [dataDir], env });
    const held = await issuePermits(issuer.port, store.manifest, permits);
    await issuer.stop();
    const shim = shimLibrary ? createShim(shimLibrary, join(store.directory, 'fsyncs')) : undefined;
    const server = await startChild(GATE_SERVER, {
      core,
      args: [dataDir],
      env: { ...env, ...shim?.env },
    });
    return new Subject(server, shim, store, held);
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.server.stop();
    this.shim?.close();
  }

  get projectId(): string {
    return at(this.#manifest.projects, 0).id;
  }

  /** The cursor of the page that ends with the first project's first intent. */
  get oldestListed(): string {
    const { oldest } = this.#manifest;
    return oldest[Math.min(50, oldest.length - 1)] ?? at(this.#made, 0).id;
  }

  agentKey(agent: number): string {
    return at(this.#manifest.agents, agent).key;
  }

  secretKeyFor(agent: number): string {
    return at(this.#manifest.projects, at(this.#manifest.agents, agent).project).secretKey;
  }

  verifierKeyFor(agent: number): string {
    return at(this.#manifest.projects, at(this.#manifest.agents, agent).project).verifierKey;
  }

  /** Numbers that no request body has used before. */
  nextIndexes(count: number): number[] {
    const first = this.#nextIndex;
    this.#nextIndex += count;
    return Array.from({ length: count }, (_, n) => first + n);
  }

  /** Takes the answers of a round's creations. */
  remember(bodies: readonly string[]): void {
    this.#made = bodies.map((body) => ({ id: (JSON.parse(body) as { id: string }).id, agent: 0 }));
    this.#undecided = [...this.#made];
  }

  /** Pending intents, drawn from the whole store, or from this round if the store has too few. */
  takeKnown(count: number): Known[] {
    const { ordinary } = this.#manifest.pending;
    if (ordinary.length < count) return fill(this.#made, count);
    const first = this.#nextKnown % (ordinary.length - count + 1);
    this.#nextKnown += count;
    return ordinary.slice(first, first + count);
  }

  /** Intents in any state, drawn from the first project, or from this round. */
  takeListed(count: number): Known[] {
    const ofFirst = this.#manifest.sample.filter(
      ({ agent }) => at(this.#manifest.agents, agent).project === 0,
    );
    if (ofFirst.length < count) return fill(this.#made, count);
    const first = this.#nextKnown % (ofFirst.length - count + 1);
    this.#nextKnown += count;
    return ofFirst.slice(first, first + count);
  }

  /** Each intent is taken only once: from anywhere in the store, or from this round. */
  takePending(count: number): Known[] {
    const { ordinary } = this.#manifest.pending;
    const found: Known[] = ordinary.splice(Math.max(ordinary.length - count, 0), count);
    this.#approved = [...found, ...this.#undecided.splice(0, count - found.length)];
    return this.#approved;
  }

  /** Takes the answers to the approvals of the last `takePending`. */
  rememberPermits(bodies: readonly string[]): void {
    this.#issuedHere = toPermits(bodies, this.#approved);
  }

  /** Permits that this process issued and has not seen since. */
  issuedHere(): readonly IssuedPermit[] {
    return this.#issuedHere;
  }

  /** Permits of another process, which this process has never seen. From now on these are `permits`. */
  takePermits(count: number): readonly IssuedPermit[] {
    this.#taken = this.#permits.splice(0, count);
    if (this.#taken.length < count) throw new Error('no permits are left');
    return this.#taken;
  }

  permits(): readonly IssuedPermit[] {
    return this.#taken;
  }

  /** Resolves when the events of all projects are sealed. */
  async settle(): Promise<void> {
    const pages = this.#manifest.projects.map(
      ({ id, secretKey }): Prepared => ({
        method: 'GET',
        path: `/v1/projects/${id}/audit?limit=1`,
        key: secretKey,
      }),
    );
    const { bodies } = await runLoad(this.server.port, pages, 200, { keep: true });
    const { data } = JSON.parse(bodies[0] ?? '') as { data: { seq: number }[] };
    this.chainLength = data[0]?.seq ?? 0;
  }
}

/** Issues permits for `lasting` intents that are pending in the store, and for new ones if those are too few. */
async function issuePermits(port: number, manifest: Manifest, count: number): Promise<IssuedPermit[]> {
  const stored = manifest.pending.lasting.slice(0, count);
  const made = await makeLasting(port, manifest, count - stored.length);
  const pending = [...stored, ...made];
  const { bodies } = await runLoad(
    port,
    pending.map(({ id, agent }) => ({
      method: 'POST',
      path: `/v1/intents/${id}/approve`,
      key: at(manifest.projects, at(manifest.agents, agent).project).secretKey,
      body: '{}',
    })),
    200,
    { keep: true },
  );
  return toPermits(bodies, pending);
}

/** Extracts permits from the answers to approvals. */
function toPermits(bodies: readonly string[], approved: readonly Known[]): IssuedPermit[] {
  return bodies.map((body, n) => {
    const { params, permit } = JSON.parse(body) as { params: JsonObject; permit: { token: string } };
    return { token: permit.token, params, agent: at(approved, n).agent };
  });
}

async function makeLasting(port: number, manifest: Manifest, count: number): Promise<SeededPending[]> {
  const indexes = Array.from({ length: count }, (_, n) => manifest.count + n);
  const { bodies } = await runLoad(
    port,
    indexes.map((index) => ({
      method: 'POST',
      path: '/v1/intents',
      key: at(manifest.agents, 0).key,
      body: createBody(index, 'lasting'),
    })),
    201,
    { keep: true },
  );
  return bodies.map((body, n) => ({
    id: (JSON.parse(body) as { id: string }).id,
    agent: 0,
    index: at(indexes, n),
  }));
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`the store has no item number ${index} of this kind`);
  return found;
}

/** Returns `count` items, which repeat from the first if there are fewer. */
function fill<T>(list: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, n) => at(list, n % list.length));
}
