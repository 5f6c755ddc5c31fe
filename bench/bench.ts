/**
 * `npm run bench`: what a gate with every guarantee costs, as a ratio to a bare Fastify server in the same run.
 *
 * Server and load have one core each and 64 connections; every round runs the floor and each operation once, so that
 * a machine whose speed drifts moves all of them. Medians over the rounds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { FirstCredentials } from '@permitry/server';
import { type ChildServer, startChild } from './child-server.ts';
import { type LoadResult, type Prepared, runLoad } from './load.ts';
import { ACTION, createBody, paramsOf } from './workload.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    intents: { type: 'string', default: '6000' },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help) {
  console.log(
    'npm run bench -- [--rounds 5] [--intents 6000 per round] [--json] [--profile DIR for a CPU profile of the gate]',
  );
  process.exit(0);
}

const SERVER_CORE = 0;
const LOAD_CORE = 1;
const OPERATIONS = ['create', 'read', 'approve', 'verify fresh', 'verify repeated', 'consume'] as const;
type Measured = 'floor' | (typeof OPERATIONS)[number];

interface Sample {
  rate: number;
  p50: number;
  p99: number;
  /** Microseconds of server CPU for a request. */
  cpuMicros: number;
  commits: number;
  requests: number;
}

type GateServer = ChildServer<{ port: number; credentials: FirstCredentials }>;
type FloorServer = ChildServer<{ port: number }>;

async function measure(
  server: GateServer | FloorServer,
  requests: readonly Prepared[],
  expected: number,
  keep = false,
): Promise<{ sample: Sample; result: LoadResult }> {
  const cpuBefore = server.cpuSeconds();
  const { commits: commitsBefore } = await server.ask();
  const result = await runLoad(server.hello.port, requests, expected, { keep });
  const { commits } = await server.ask();
  const cpuMicros = ((server.cpuSeconds() - cpuBefore) / requests.length) * 1e6;
  const { rate, p50, p99 } = result;
  return {
    result,
    sample: { rate, p50, p99, cpuMicros, commits: commits - commitsBefore, requests: requests.length },
  };
}

async function runRound(
  floor: FloorServer,
  gate: GateServer,
  first: number,
  count: number,
): Promise<Record<Measured, Sample>> {
  const { agent_key, secret_key, verifier_key } = gate.hello.credentials;
  const indexes = Array.from({ length: count }, (_, n) => first + n);
  const validate = (key: string, token: string, index: number, consume: boolean): Prepared => ({
    method: 'POST',
    path: '/v1/permits/validate',
    key,
    body: JSON.stringify({ token, action: ACTION, params: paramsOf(index), consume }),
  });

  const floors = indexes.map((n): Prepared => ({ method: 'POST', path: '/floor', body: createBody(n) }));
  const floorRun = await measure(floor, floors, 200);
  const create = await measure(
    gate,
    indexes.map((n) => ({ method: 'POST', path: '/v1/intents', key: agent_key, body: createBody(n) })),
    201,
    true,
  );
  const ids = create.result.bodies.map((body) => (JSON.parse(body) as { id: string }).id);
  const read = await measure(
    gate,
    ids.map((id) => ({ method: 'GET', path: `/v1/intents/${id}`, key: agent_key })),
    200,
  );
  const approve = await measure(
    gate,
    ids.map((id) => ({ method: 'POST', path: `/v1/intents/${id}/approve`, key: secret_key, body: '{}' })),
    200,
    true,
  );
  const tokens = approve.result.bodies.map(
    (body) => (JSON.parse(body) as { permit: { token: string } }).permit.token,
  );
  const verify = tokens.map((token, n) => validate(verifier_key, token, first + n, false));
  const fresh = await measure(gate, verify, 200);
  const repeated = await measure(gate, verify, 200);
  const consume = await measure(
    gate,
    tokens.map((token, n) => validate(verifier_key, token, first + n, true)),
    200,
  );
  return {
    floor: floorRun.sample,
    create: create.sample,
    read: read.sample,
    approve: approve.sample,
    'verify fresh': fresh.sample,
    'verify repeated': repeated.sample,
    consume: consume.sample,
  };
}

/** Counts the system calls of the gate while it creates intents, under strace; null where that is missing. */
async function countSyncs(
  gate: GateServer,
  creations: number,
): Promise<{ syncs: number; commits: number } | null> {
  if (spawnSync('strace', ['--version']).status !== 0) return null;
  const strace = spawn('strace', ['-f', '-c', '-e', 'trace=fsync,fdatasync', '-p', String(gate.pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let report = '';
  strace.stderr.on('data', (chunk: Buffer) => {
    report += chunk.toString();
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { sample } = await measure(
    gate,
    Array.from({ length: creations }, (_, n) => ({
      method: 'POST' as const,
      path: '/v1/intents',
      key: gate.hello.credentials.agent_key,
      body: createBody(n),
    })),
    201,
  );
  strace.kill('SIGINT');
  await once(strace, 'exit');
  const calls = [...report.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(?:fsync|fdatasync)$/gm)];
  if (calls.length === 0) return null;
  return { syncs: calls.reduce((sum, call) => sum + Number(call[1]), 0), commits: sample.commits };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

function printTable(rounds: readonly Record<Measured, Sample>[]): void {
  const columns = ['', 'per second', 'ratio', 'p50 ms', 'p99 ms', 'CPU µs', 'requests per commit'];
  const rows = (['floor', ...OPERATIONS] as const).map((name) => {
    const of = (pick: (sample: Sample) => number): number => median(rounds.map((round) => pick(round[name])));
    const ratio = median(rounds.map((round) => round[name].rate / round.floor.rate));
    const perCommit = of((sample) => (sample.commits === 0 ? 0 : sample.requests / sample.commits));
    return [
      name,
      Math.round(of((sample) => sample.rate)).toLocaleString('en'),
      ratio.toFixed(2),
      of((sample) => sample.p50).toFixed(1),
      of((sample) => sample.p99).toFixed(1),
      of((sample) => sample.cpuMicros).toFixed(0),
      perCommit === 0 ? '–' : perCommit.toFixed(1),
    ];
  });
  const widths = columns.map((column, n) =>
    Math.max(column.length, ...rows.map((row) => row[n]?.length ?? 0)),
  );
  for (const row of [columns, ...rows]) {
    console.log(
      row
        .map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
        .join('  '),
    );
  }
}

spawnSync('taskset', ['-cp', String(LOAD_CORE), String(process.pid)]);
const dataDir = mkdtempSync(join(tmpdir(), 'permitry-bench-'));
const here = (file: string): string => join(import.meta.dirname, file);
const floor = await startChild<{ port: number }>(here('floor-server.ts'), SERVER_CORE);
const gate: GateServer = await startChild(
  here('gate-server.ts'),
  SERVER_CORE,
  { BENCH_DATA: dataDir },
  options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [],
);
try {
  const count = Number(options.intents);
  const rounds: Record<Measured, Sample>[] = [];
  await runRound(floor, gate, 0, Math.min(count, 2000));
  for (let round = 0; round < Number(options.rounds); round += 1) {
    if (!options.json) process.stderr.write(`round ${round + 1} of ${options.rounds}\r`);
    rounds.push(await runRound(floor, gate, (round + 1) * count, count));
  }
  const memory = gate.memoryMb();
  const counted = await countSyncs(gate, 2000);
  if (options.json) {
    console.log(JSON.stringify({ rounds, memoryMb: memory, syncs: counted }));
  } else {
    printTable(rounds);
    console.log(
      `\nmemory of the gate: ${memory.toFixed(0)} MB resident, ${count * (rounds.length + 1)} intents or so`,
    );
    console.log(
      counted
        ? `synchronous=FULL: ${counted.syncs} fsync calls for ${counted.commits} commits, counted by strace`
        : 'fsync calls were not counted: strace is not installed',
    );
  }
} finally {
  await gate.stop();
  await floor.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
