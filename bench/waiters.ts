/**
 * `npm run bench:waiters`: the cost of waiting agents for one gate. Ten thousand connections each hold a read with
 * `?wait=60`. Measures the gate's memory, its statements while nothing happens, and the time from a decision until the
 * agent knows about it.
 */
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseOf, openGate, readConfig } from '@permitry/server';
import { initialiseGate } from '../packages/server/src/people/initialise-gate.ts';
import { readFlags } from '../scripts/read-flags.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { bindLoad, SERVER_CORE } from './cores.ts';
import { onAnswer, openConnection, type Prepared, toBytes } from './http-connection.ts';
import { startDatabase } from './postgres/database-server.ts';
import { makeWorkDir } from './store/make-work-dir.ts';
import { printTable, showProgress } from './table.ts';
import { BASE_URL } from './workload.ts';

const HELP = `Measures what waiting agents cost one gate.

  npm run bench:waiters
  npm run bench:waiters -- --waiters 10000 --decisions 1000
  npm run bench:waiters -- --postgres
`;

const { values } = readFlags({
  options: {
    waiters: { type: 'string', default: '10000' },
    decisions: { type: 'string', default: '1000' },
    postgres: { type: 'boolean' },
    'store-dir': { type: 'string', default: 'node_modules/.cache/permitry-bench' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const waiters = Number(values.waiters);
const decisions = Math.min(Number(values.decisions), waiters);

const MOST_MB = 400;
const IDLE_MS = 10_000;
/** One source address allows a few ten thousand connections, so this allows several times as many. */
const SOURCES = 8;
const OPENING_AT_ONCE = 100;
/** The agents wait for a minute, and their intents must be decided within it. */
const GIVE_UP_MS = 30_000;

/** Sends one request at a time. */
class Agent {
  readonly #socket: Socket;
  #answered: (body: string) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    onAnswer(socket, (_status, body) => this.#answered(body.toString()));
  }

  static async connect(port: number, number: number): Promise<Agent> {
    return new Agent(await openConnection(port, `127.0.0.${1 + (number % SOURCES)}`));
  }

  ask(method: Prepared['method'], path: string, key: string, body?: object): Promise<string> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(toBytes({ method, path, key, ...(body ? { body: JSON.stringify(body) } : {}) }));
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Reads the gate's own figures. */
async function figures(agent: Agent): Promise<(name: string) => number> {
  const text = await agent.ask('GET', '/metrics', METRICS_TOKEN);
  const samples = new Map(text.split('\n').map((line) => [line.split(' ')[0], line.split(' ')[1]]));
  return (name) => Number(samples.get(name));
}

async function inParallel<T>(
  count: number,
  width: number,
  work: (number: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) {
        const number = next;
        next += 1;
        results[number] = await work(number);
      }
    }),
  );
  return results;
}

function percentile(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
}

async function decideSome(
  deciders: readonly Agent[],
  held: { id: string; answered: Promise<number> }[],
  key: string,
): Promise<{ fromAsking: number[]; fromAnswer: number[] }> {
  const [fromAsking, fromAnswer]: [number[], number[]] = [[], []];
  const chosen = held.splice(0, decisions / 2);
  let next = 0;
  await Promise.all(
    deciders.map(async (decider) => {
      for (let one = chosen[next]; one; one = chosen[next]) {
        next += 1;
        const asked = performance.now();
        await decider.ask('POST', `/v1/intents/${one.id}/approve`, key, {});
        const decided = performance.now();
        const heard = await one.answered;
        fromAsking.push(heard - asked);
        // An agent may learn about the decision before the approver gets an answer.
        fromAnswer.push(Math.max(0, heard - decided));
      }
    }),
  );
  return {
    fromAsking: fromAsking.toSorted((a, b) => a - b),
    fromAnswer: fromAnswer.toSorted((a, b) => a - b),
  };
}

const METRICS_TOKEN = 'collector-token-0123456789';
const storeDir = makeWorkDir(values['store-dir'], 'waiters-');
const database = values.postgres ? await startDatabase(join(storeDir, 'postgres')) : undefined;
const settings = {
  PERMITRY_DATA: storeDir,
  ...(database ? { PERMITRY_DATABASE_URL: database.url } : {}),
  PERMITRY_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
};

async function prepare() {
  const config = readConfig(settings);
  const opened = await openGate({
    database: databaseOf(config),
    issuer: BASE_URL,
    signingKeys: config.signingKeys,
  });
  const first = await initialiseGate(opened.gate, {
    mode: 'test',
    projectName: 'Bench',
    ownerEmail: 'owner@example.org',
  });
  await opened.close();
  return first;
}

async function run(
  server: ChildServer,
  { agent_key: agentKey, secret_key: secretKey }: FirstKeys,
): Promise<void> {
  const mb = (): string => server.memory().resident.toFixed(0);
  const deciders = await inParallel(16, 16, (number) => Agent.connect(server.port, number));
  const [meter] = deciders;
  if (!meter) throw new Error('no connection');
  const before = mb();

  showProgress(`making ${waiters} intents`);
  const perMaker = Math.ceil(waiters / deciders.length);
  const ids = (
    await inParallel(deciders.length, deciders.length, async (number) => {
      const made: string[] = [];
      while (made.length < perMaker) {
        const params = { number: made.length };
        const body = await deciders[number]?.ask('POST', '/v1/intents', agentKey, {
          action: 'deploy',
          params,
        });
        made.push((JSON.parse(body ?? '{}') as { id: string }).id);
      }
      return made;
    })
  ).flat();
  const made = mb();

  showProgress(`opening ${waiters} connections`);
  const begun = performance.now();
  const held = await inParallel(waiters, OPENING_AT_ONCE, async (number) => {
    const agent = await Agent.connect(server.port, number);
    const id = ids[number] ?? '';
    const answered = agent.ask('GET', `/v1/intents/${id}?wait=60`, agentKey).then((body) => {
      const { status } = JSON.parse(body) as { status: string };
      if (status !== 'approved') throw new Error(`the wait of an agent ended while its intent is ${status}`);
      return performance.now();
    });
    answered.catch(() => {});
    return { id, agent, answered };
  });
  while (((await figures(meter))('permitry_held_reads') || 0) < waiters) {
    if (performance.now() - begun > GIVE_UP_MS)
      throw new Error('not all agents are waiting. Check whether `ulimit -n` is too low');
    await pause(100);
  }
  const opening = ((performance.now() - begun) / 1000).toFixed(1);
  const waiting = mb();

  showProgress('nothing happens');
  const start = await figures(meter);
  const cpu = (await server.ask()).cpuMicros;
  await pause(IDLE_MS);
  const end = await figures(meter);
  const cpuShare = (((await server.ask()).cpuMicros - cpu) / 1000 / IDLE_MS) * 100;
  const perSecond = (name: string): string => ((end(name) - start(name)) / (IDLE_MS / 1000)).toFixed(1);

  showProgress('deciding');
  const single = await decideSome(deciders.slice(0, 1), held, secretKey);
  const many = await decideSome(deciders, held, secretKey);
  const after = server.memory();

  console.log(`\n${waiters} agents wait, all connected after ${opening} s, ${availableParallelism()} cores`);
  printTable(
    'Resident memory of the gate, MB',
    ['', 'MB'],
    [
      ['started', before],
      [`${waiters} intents made`, made],
      [`${waiters} agents wait`, waiting],
      ['after the decisions', after.resident.toFixed(0)],
      ['at most', after.peak.toFixed(0)],
    ],
  );
  printTable(
    'While nothing happens, a second',
    ['', ''],
    [
      ['statements that read', perSecond('permitry_storage_statements_total{kind="read"}')],
      ['statements that write', perSecond('permitry_storage_statements_total{kind="write"}')],
      ['commits', perSecond('permitry_storage_commits_total')],
      ['of its core, %', cpuShare.toFixed(1)],
    ],
  );
  printTable(
    'From a decision to the answer of the agent that waits, ms',
    ['', 'p50', 'p99', 'from the answer to who decided: p50', 'p99'],
    Object.entries({ 'one decides at a time': single, 'sixteen at once': many }).map(([name, times]) => [
      name,
      percentile(times.fromAsking, 0.5),
      percentile(times.fromAsking, 0.99),
      percentile(times.fromAnswer, 0.5),
      percentile(times.fromAnswer, 0.99),
    ]),
  );
  const met = after.peak <= MOST_MB;
  console.log(`\n  ${met ? 'met' : 'MISSED'}: at most ${MOST_MB} MB\n`);
  if (!met) process.exitCode = 1;
  for (const { agent } of held) agent.close();
}

type FirstKeys = Awaited<ReturnType<typeof prepare>>;

bindLoad();
const first = await prepare();
const server = await startChild(join(import.meta.dirname, 'gate-server.ts'), {
  core: SERVER_CORE,
  args: [storeDir],
  env: { ...settings, PERMITRY_METRICS_TOKEN: METRICS_TOKEN },
});
try {
  await run(server, first);
} finally {
  await server.stop();
  database?.stop();
  rmSync(storeDir, { recursive: true, force: true });
}
process.exit();
