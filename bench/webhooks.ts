/**
 * `npm run bench:webhooks`: how fast events leave. One gate creates and denies intents while an endpoint receives the
 * deliveries and answers each after a delay. Counts the deliveries, and checks their order and repetitions.
 */
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseOf, openGate, readConfig } from '@permitry/server';
import { initialiseGate } from '../packages/server/src/people/initialise-gate.ts';
import { readFlags } from '../scripts/read-flags.ts';
import { startChild } from './child-server.ts';
import { bindLoad, SERVER_CORE } from './cores.ts';
import { startDatabase } from './postgres/database-server.ts';
import { makeWorkDir } from './store/make-work-dir.ts';
import { printTable, showProgress } from './table.ts';
import { BASE_URL } from './workload.ts';

const HELP = `Measures how fast events leave for webhooks.

  npm run bench:webhooks
  npm run bench:webhooks -- --intents 2000 --answer-after 20
  npm run bench:webhooks -- --postgres
`;

const { values } = readFlags({
  options: {
    intents: { type: 'string', default: '2000' },
    'answer-after': { type: 'string', default: '0' },
    postgres: { type: 'boolean' },
    'store-dir': { type: 'string', default: 'node_modules/.cache/permitry-bench' },
    profile: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const intents = Number(values.intents);
const answerAfterMs = Number(values['answer-after']);
/** Created, and denied. */
const EVENTS_OF_INTENT = 2;
const MAKERS = 16;
const GIVE_UP_MS = 120_000;

interface Arrival {
  at: number;
  id: string;
  intent: string;
  seq: number;
}

/** Accepts everything, counts connections, and reports what arrived. */
async function listen() {
  const arrivals: Arrival[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const { data } = JSON.parse(text) as { data: { intent_id: string; seq: number } };
      const id = String(request.headers['webhook-id']);
      arrivals.push({ at: performance.now(), id, intent: data.intent_id, seq: data.seq });
      setTimeout(() => response.writeHead(204).end(), answerAfterMs);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, arrivals, connections: () => connections };
}

function outOfOrder(arrivals: readonly Arrival[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const { intent, seq } of arrivals) {
    if (seq < (last.get(intent) ?? 0)) count += 1;
    last.set(intent, Math.max(seq, last.get(intent) ?? 0));
  }
  return count;
}

const storeDir = makeWorkDir(values['store-dir'], 'webhooks-');
const database = values.postgres ? await startDatabase(join(storeDir, 'postgres')) : undefined;
const settings = {
  PERMITRY_DATA: storeDir,
  ...(database ? { PERMITRY_DATABASE_URL: database.url } : {}),
  PERMITRY_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  PERMITRY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
};

async function prepare() {
  const config = readConfig(settings);
  const { signingKeys } = config;
  const opened = await openGate({ database: databaseOf(config), issuer: BASE_URL, signingKeys });
  const keys = { mode: 'test', projectName: 'Bench', ownerEmail: 'owner@example.org' } as const;
  const first = await initialiseGate(opened.gate, keys);
  await opened.close();
  return first;
}

bindLoad();
const first = await prepare();
const endpoint = await listen();
const server = await startChild(join(import.meta.dirname, 'gate-server.ts'), {
  core: SERVER_CORE,
  args: [storeDir],
  env: settings,
});

async function ask(path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.secret_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string };
}

async function measure(): Promise<void> {
  await ask(`/v1/projects/${first.project_id}/webhooks`, { url: endpoint.url, event_types: ['intent.*'] });
  showProgress(`creating and denying ${intents} intents`);
  const begun = performance.now();
  let made = 0;
  await Promise.all(
    Array.from({ length: MAKERS }, async () => {
      while (made < intents) {
        made += 1;
        const { id } = await ask('/v1/intents', { action: 'deploy', params: { number: made } });
        await ask(`/v1/intents/${id}/deny`, {});
      }
    }),
  );
  const ended = performance.now();
  const meanwhile = endpoint.arrivals.length;
  const expected = intents * EVENTS_OF_INTENT;
  showProgress(`${expected - meanwhile} are still missing`);
  const { cpuMicros } = await server.ask();
  const distinct = () => new Set(endpoint.arrivals.map(({ id }) => id)).size;
  while (endpoint.arrivals.length < expected || distinct() < expected) {
    if (performance.now() - ended > GIVE_UP_MS) throw new Error(`only ${distinct()} of ${expected} came`);
    await pause(20);
  }
  const seconds = ((endpoint.arrivals.at(-1)?.at ?? 0) - ended) / 1000;
  const left = expected - meanwhile;
  const cpu = ((await server.ask()).cpuMicros - cpuMicros) / left;
  printTable(
    `${intents} intents on ${database?.version ?? 'SQLite'}; the endpoint answers after ${answerAfterMs} ms`,
    ['', ''],
    [
      ['events a second while they were made', (meanwhile / ((ended - begun) / 1000)).toFixed(0)],
      ['events left then', String(left)],
      ['events a second from then on', (left / seconds).toFixed(0)],
      ['CPU of the gate for each, µs', cpu.toFixed(0)],
      ['connections', String(endpoint.connections())],
      ['sent more than once', String(endpoint.arrivals.length - distinct())],
      ['out of the order of their intent', String(outOfOrder(endpoint.arrivals))],
    ],
  );
}

try {
  await server.profileWhile(values.profile, measure);
} finally {
  await server.stop();
  database?.stop();
  rmSync(storeDir, { recursive: true, force: true });
}
process.exit();
