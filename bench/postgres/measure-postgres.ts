/**
 * `npm run bench -- --postgres`: one gate and two gates on a PostgreSQL of this run's own. The same rounds also measure
 * a bare server, and how fast driver and disk can insert rows of intents one by one.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../bars.ts';
import { type ChildServer, startChild } from '../child-server.ts';
import { SERVER_CORE } from '../cores.ts';
import { runLoad } from '../load.ts';
import { median } from '../median.ts';
import { batchOf, type Operation, operationsToRun } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import { readManifest } from '../store/manifest.ts';
import { Subject } from '../subject.ts';
import { printTable, showProgress } from '../table.ts';
import { startDatabase } from './database-server.ts';
import { measureWaiting, type WaitingLatency } from './waiting.ts';

/** As a share of the insert floor. For reads, as a share of the bare server's GET. */
const BARS: Partial<Record<Operation, number>> = { create: 1, approve: 0.5, read: 0.5 };
const TWO_OF_ONE = 1.5;
const WAITING_P99_MS = { same: 50, across: 150 };
const WARM_UP = 1000;
const SPREAD_WANTS_CORES = 4;

const MEASURED: readonly Operation[] = [
  'create',
  'create-keyed',
  'read',
  'approve',
  'verify-fresh',
  'verify-repeated',
  'consume',
];

interface Sample {
  rate: number;
  p50: number;
  p99: number;
  /** Microseconds of CPU of all gates per request. */
  cpuMicros: number;
  perCommit: number;
  loadBusy: number;
}

type Setting = 'one' | 'two';

interface Round {
  inserts: number;
  get: number;
  post: number;
  gates: Record<Setting, Partial<Record<Operation, Sample>>>;
}

const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

export async function measurePostgres(
  options: BenchOptions,
  workDir: string,
): Promise<{ findings: Finding[]; results: object }> {
  showProgress('starting PostgreSQL');
  const database = await startDatabase(join(workDir, 'postgres'));
  const env = { PERMITRY_DATABASE_URL: database.url, PERMITRY_KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY };
  const stops: (() => unknown)[] = [() => database.stop()];
  try {
    const floor = await startChild(join(import.meta.dirname, '../floor-server.ts'), { core: SERVER_CORE });
    stops.unshift(() => floor.stop());
    const subject = await startSubject(options, workDir, env);
    stops.unshift(() => subject.stop());
    const inserts = await startInserts(database.url);
    stops.unshift(() => inserts.stop());
    const second = await startSecond(workDir, env);
    stops.unshift(() => second.stop());
    const rounds = await runRounds({ floor, inserts, subject, second }, options);
    const waiting = await measureBothWaits(subject, second);
    print(rounds, waiting, database.version);
    return {
      findings: toFindings(rounds, waiting),
      results: { rounds, waiting, postgres: database.version },
    };
  } finally {
    for (const stop of stops) await stop();
  }
}

async function startSubject(
  options: BenchOptions,
  workDir: string,
  env: Record<string, string>,
): Promise<Subject> {
  showProgress('preparing the gates');
  const directory = join(workDir, 'gate');
  mkdirSync(join(directory, 'data'), { recursive: true });
  const program = join(import.meta.dirname, 'seed-database.ts');
  const seeded = spawnSync(process.execPath, [program, directory], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  if (seeded.status !== 0) throw new Error('the projects could not be created on PostgreSQL');
  const store = { directory, manifest: readManifest(directory) };
  // One gate and two gates use different permits.
  const permits = 2 * (options.rounds * options.perRound + Math.min(WARM_UP, options.perRound));
  return Subject.start({ store, permits, shimLibrary: undefined, env });
}

async function startSecond(workDir: string, env: Record<string, string>): Promise<ChildServer> {
  const dataDir = join(workDir, 'second-gate');
  mkdirSync(dataDir);
  const core = cpus().length > 2 ? 2 : SERVER_CORE;
  return startChild(join(import.meta.dirname, '../gate-server.ts'), { core, args: [dataDir], env });
}

interface Inserts {
  measure(count: number): Promise<number>;
  stop(): void;
}

async function startInserts(url: string): Promise<Inserts> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'insert-floor.ts'), [url], {
    execPath: 'taskset',
    execArgv: ['-c', String(SERVER_CORE), process.execPath],
  });
  await once(child, 'message');
  return {
    measure: async (count) => {
      child.send(count);
      const [rate] = (await once(child, 'message')) as [number];
      return rate;
    },
    stop: () => child.disconnect(),
  };
}

interface Parts {
  floor: ChildServer;
  inserts: Inserts;
  subject: Subject;
  second: ChildServer;
}

async function runRounds(parts: Parts, options: BenchOptions): Promise<Round[]> {
  await runRound(parts, options, Math.min(WARM_UP, options.perRound), 0);
  const rounds: Round[] = [];
  await parts.subject.server.profileWhile(options.profileDir, async () => {
    for (let round = 1; round <= options.rounds; round += 1) {
      showProgress(`round ${round} of ${options.rounds}`);
      rounds.push(await runRound(parts, options, options.perRound, round));
    }
  });
  showProgress('');
  return rounds;
}

async function runRound(parts: Parts, options: BenchOptions, count: number, round: number): Promise<Round> {
  const { floor, inserts, subject, second } = parts;
  const { connections } = options;
  const measured: Round = {
    inserts: await inserts.measure(count),
    post: (await runLoad(floor.port, floorPosts(subject, 2 * count), 200, { connections })).rate,
    get: (await runLoad(floor.port, floorGets(2 * count), 200, { connections })).rate,
    gates: { one: {}, two: {} },
  };
  const settings: Setting[] = round % 2 === 0 ? ['one', 'two'] : ['two', 'one'];
  for (const setting of settings) {
    const servers = setting === 'one' ? [subject.server] : [subject.server, second];
    for (const operation of operationsToRun(options.operations)) {
      if (!MEASURED.includes(operation)) continue;
      measured.gates[setting][operation] = await measure(operation, subject, servers, count, connections);
    }
  }
  return measured;
}

function floorPosts(subject: Subject, count: number) {
  return batchOf('create', subject, count).requests.map(({ body = '' }) => ({
    method: 'POST' as const,
    path: '/floor',
    body,
  }));
}

function floorGets(count: number) {
  return Array.from({ length: count }, (_, n) => ({ method: 'GET' as const, path: `/floor/int_${n}` }));
}

/** Spreads the requests evenly over the gates. Everything is sealed before the measurement begins and when it ends. */
async function measure(
  operation: Operation,
  subject: Subject,
  servers: readonly ChildServer[],
  count: number,
  connections: number,
): Promise<Sample> {
  await subject.settle();
  const { requests, expected } = batchOf(operation, subject, count);
  const keep = operation === 'create';
  const before = await Promise.all(servers.map((server) => server.ask()));
  const loads = await Promise.all(
    servers.map((server, index) =>
      runLoad(
        server.port,
        requests.filter((_, n) => n % servers.length === index),
        expected,
        { connections: Math.ceil(connections / servers.length), keep },
      ),
    ),
  );
  const atEnd = await Promise.all(servers.map((server) => server.ask()));
  await subject.settle();
  const after = await Promise.all(servers.map((server) => server.ask()));
  if (keep) subject.remember(loads.flatMap(({ bodies }) => bodies));
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  return {
    rate: requests.length / Math.max(...loads.map(({ seconds }) => seconds)),
    p50: Math.max(...loads.map(({ p50 }) => p50)),
    p99: Math.max(...loads.map(({ p99 }) => p99)),
    cpuMicros:
      sum(after.map(({ cpuMicros }, n) => cpuMicros - (before[n]?.cpuMicros ?? 0))) / requests.length,
    perCommit: requests.length / sum(atEnd.map(({ commits }, n) => commits - (before[n]?.commits ?? 0))),
    loadBusy: Math.max(...loads.map(({ busy }) => busy)),
  };
}

interface Waits {
  same: WaitingLatency;
  across: WaitingLatency;
}

const WAITS = 500;

async function measureBothWaits(subject: Subject, second: ChildServer): Promise<Waits> {
  showProgress('waiting agents');
  const who = { agentKey: subject.agentKey(0), secretKey: subject.secretKeyFor(0), count: WAITS };
  const { port } = subject.server;
  const same = await measureWaiting({ ...who, waitingPort: port, decidingPort: port });
  const across = await measureWaiting({ ...who, waitingPort: port, decidingPort: second.port });
  showProgress('');
  return { same, across };
}

function over(rounds: readonly Round[], pick: (round: Round) => number | undefined): number {
  return median(rounds.flatMap((round) => pick(round) ?? []));
}

function floorOf(operation: Operation): (round: Round) => number {
  return operation === 'read' ? ({ get }) => get : ({ inserts }) => inserts;
}

function toFindings(rounds: readonly Round[], waiting: Waits): Finding[] {
  const findings: Finding[] = [];
  for (const operation of MEASURED) {
    const least = BARS[operation];
    const floor = floorOf(operation);
    const figure = over(rounds, (round) => ratio(round.gates.one[operation]?.rate, floor(round)));
    if (least === undefined || Number.isNaN(figure)) continue;
    const of = operation === 'read' ? 'of a bare GET' : 'of the insert floor';
    findings.push({ what: `${operation}, ${of}`, figure, unit: '', bar: { least } });
    if (cpus().length < SPREAD_WANTS_CORES) continue;
    const spread = over(rounds, ({ gates }) => ratio(gates.two[operation]?.rate, gates.one[operation]?.rate));
    findings.push({
      what: `${operation}, two gates of one`,
      figure: spread,
      unit: '×',
      bar: { least: TWO_OF_ONE },
    });
  }
  for (const [where, { p99 }] of Object.entries(waiting) as ['same' | 'across', WaitingLatency][]) {
    const what = `decision to waiting agent, ${where === 'same' ? 'same gate' : 'across gates'}, p99`;
    findings.push({ what, figure: p99, unit: 'ms', bar: { most: WAITING_P99_MS[where] } });
  }
  return findings;
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

function print(rounds: readonly Round[], waiting: Waits, version: string): void {
  const rate = (pick: (round: Round) => number): string =>
    Math.round(over(rounds, pick)).toLocaleString('en');
  console.log(`\n${version}, fsync on; ${cpus().length} cores`);
  console.log(
    `  rows of intents with their indexes, inserted one by one with the same driver on a pool of 8: ${rate((r) => r.inserts)} per second`,
  );
  console.log(`  a bare Fastify: POST ${rate((r) => r.post)}, GET ${rate((r) => r.get)} per second`);
  for (const setting of ['one', 'two'] as const) {
    printTable(
      setting === 'one' ? 'One gate' : 'Two gates, the load spread over both',
      ['', 'per second', 'of floor', 'of one', 'p50 ms', 'p99 ms', 'CPU µs', 'per commit', 'load'],
      MEASURED.filter((operation) => rounds[0]?.gates[setting][operation]).map((operation) => {
        const of = (pick: (sample: Sample) => number | undefined): number =>
          over(rounds, ({ gates }) => {
            const sample = gates[setting][operation];
            return sample && pick(sample);
          });
        return [
          operation,
          Math.round(of((s) => s.rate)).toLocaleString('en'),
          over(rounds, (r) => ratio(r.gates[setting][operation]?.rate, floorOf(operation)(r))).toFixed(2),
          over(rounds, ({ gates }) =>
            ratio(gates[setting][operation]?.rate, gates.one[operation]?.rate),
          ).toFixed(2),
          of((s) => s.p50).toFixed(1),
          of((s) => s.p99).toFixed(1),
          of((s) => s.cpuMicros).toFixed(0),
          of((s) => (Number.isFinite(s.perCommit) ? s.perCommit : undefined)).toFixed(1),
          of((s) => s.loadBusy).toFixed(2),
        ];
      }),
    );
  }
  for (const [where, { p50, p99, count }] of Object.entries(waiting) as [
    'same' | 'across',
    WaitingLatency,
  ][]) {
    const gates = where === 'same' ? 'on one gate' : 'decided on the other gate';
    console.log(
      `  decision to waiting agent, ${gates}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${count}`,
    );
  }
}
