/**
 * `npm run bench:mcp`: the cost of a call of an allowed tool through `/mcp`, in both revisions. The same call through
 * surface A and the bare server are measured in the same run for comparison.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOf, openGate, putPolicy, readConfig } from '@permitry/server';
import { initialiseGate } from '../packages/server/src/people/initialise-gate.ts';
import { readFlags, refuse } from '../scripts/read-flags.ts';
import { MCP_CALL_BY_CPU, printFindings } from './bars.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { bindLoad, SERVER_CORE } from './cores.ts';
import type { Prepared } from './http-connection.ts';
import { runLoad } from './load.ts';
import { median } from './median.ts';
import { measureFloor } from './round.ts';
import { makeWorkDir } from './store/make-work-dir.ts';
import { printTable, showProgress } from './table.ts';
import { BASE_URL, LIMITER_ON } from './workload.ts';

const HELP = `Measures calls of an allowed tool through /mcp, compared with surface A and a bare server.

  npm run bench:mcp
  npm run bench:mcp -- --rounds 7 --requests 4000
  npm run bench:mcp -- --only call-2026,ping-2025 --profile profiles
  npm run bench:mcp -- --json samples.json
`;

const { values } = readFlags({
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '2000' },
    only: { type: 'string' },
    profile: { type: 'string' },
    json: { type: 'string' },
    'store-dir': { type: 'string', default: 'node_modules/.cache/permitry-bench' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}

const CURRENT = '2026-07-28';

const MAIL = {
  to: 'ann@example.org',
  subject: 'Your parcel',
  text: 'It is on its way, and comes on Friday.',
};

const META = {
  'io.modelcontextprotocol/protocolVersion': CURRENT,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ACCEPT = { accept: 'application/json, text/event-stream' };

function current(id: number, method: string, params: object): Partial<Prepared> {
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  return {
    path: '/mcp',
    headers: { ...ACCEPT, 'mcp-protocol-version': CURRENT, 'mcp-method': method, ...name },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } }),
  };
}

function of2025(id: number, method: string, params: object): Partial<Prepared> {
  return {
    path: '/mcp',
    headers: { ...ACCEPT, 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  };
}

const CALL = { name: 'mail.send', arguments: MAIL };
const OPERATIONS: Readonly<Record<string, (id: number) => Partial<Prepared>>> = {
  'call-a': () => ({
    path: '/api/mcp-gateway',
    body: JSON.stringify({ tool: 'mail.send', arguments: MAIL }),
  }),
  'call-2026': (id) => current(id, 'tools/call', CALL),
  'call-2025': (id) => of2025(id, 'tools/call', CALL),
  'list-2026': (id) => current(id, 'tools/list', {}),
  'ping-2025': (id) => of2025(id, 'ping', {}),
};

const chosen = values.only?.split(',') ?? Object.keys(OPERATIONS);
const unknown = chosen.find((name) => !(name in OPERATIONS));
if (unknown !== undefined)
  refuse(`there is no operation ${unknown}. Operations: ${Object.keys(OPERATIONS).join(', ')}`);

interface Sample {
  rate: number;
  ofFloor: number;
  byCpu: number;
  p99: number;
  cpuMicros: number;
}

async function measure(
  gate: ChildServer,
  key: string,
  make: (id: number) => Partial<Prepared>,
  floor: { rate: number; cpuMicros: number },
): Promise<Sample> {
  const count = Number(values.requests);
  const requests = Array.from(
    { length: count },
    (_, id): Prepared => ({
      method: 'POST',
      path: '/',
      key,
      ...make(id),
    }),
  );
  const before = await gate.ask();
  const { rate, p99 } = await runLoad(gate.port, requests, 200);
  const cpuMicros = ((await gate.ask()).cpuMicros - before.cpuMicros) / count;
  return { rate, ofFloor: rate / floor.rate, byCpu: floor.cpuMicros / cpuMicros, p99, cpuMicros };
}

bindLoad();
const storeDir = makeWorkDir(values['store-dir'], 'mcp-');
const config = readConfig({}, { PERMITRY_DATA: storeDir });
const opened = await openGate({
  database: databaseOf(config),
  issuer: BASE_URL,
  signingKeys: config.signingKeys,
});
const owner = { mode: 'test', projectName: 'Bench', ownerEmail: 'owner@example.org' } as const;
const first = await initialiseGate(opened.gate, owner);
const OPERATOR = { kind: 'operator', credentialId: 'operator', display: 'operator' } as const;
const rules = [{ name: 'mails are free', match: { action: 'mail.send' }, effect: 'allow' }];
const document = { name: 'bench', default: { approvers: ['role:approver'] }, rules };
await putPolicy(opened.gate, OPERATOR, { projectId: first.project_id, document });
await opened.close();

const floorServer = await startChild(join(import.meta.dirname, 'floor-server.ts'), { core: SERVER_CORE });
const gate = await startChild(join(import.meta.dirname, 'gate-server.ts'), {
  core: SERVER_CORE,
  args: [storeDir],
  env: LIMITER_ON,
});
const samples = new Map<string, Sample[]>();
const floors: { rate: number; cpuMicros: number }[] = [];

async function runRound(keep: boolean): Promise<void> {
  const floor = await measureFloor(floorServer, Number(values.requests));
  if (keep) floors.push(floor);
  for (const [name, make] of Object.entries(OPERATIONS)) {
    if (!chosen.includes(name)) continue;
    const sample = await measure(gate, first.agent_key, make, floor);
    if (keep) samples.set(name, [...(samples.get(name) ?? []), sample]);
  }
}

try {
  showProgress('warming up');
  await runRound(false);
  await gate.profileWhile(values.profile, async () => {
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      showProgress(`round ${round} of ${values.rounds}`);
      await runRound(true);
    }
  });
} finally {
  await gate.stop();
  await floorServer.stop();
  rmSync(storeDir, { recursive: true, force: true });
}

const medians = (all: readonly Sample[]): Sample => {
  const of = (what: keyof Sample): number => median(all.map((sample) => sample[what]));
  return {
    rate: of('rate'),
    ofFloor: of('ofFloor'),
    byCpu: of('byCpu'),
    p99: of('p99'),
    cpuMicros: of('cpuMicros'),
  };
};
const rows = Object.fromEntries([...samples].map(([name, all]) => [name, medians(all)]));
const floor = {
  rate: median(floors.map(({ rate }) => rate)),
  cpuMicros: median(floors.map(({ cpuMicros }) => cpuMicros)),
};
printTable(
  `Medians of ${values.rounds} rounds, 64 connections, one core`,
  ['', 'a second', 'of the floor', 'by CPU', 'p99 ms', 'CPU µs'],
  [
    ['floor', floor.rate.toFixed(0), '1.00', '1.00', '', floor.cpuMicros.toFixed(0)],
    ...Object.entries(rows).map(([name, { rate, ofFloor, byCpu, p99, cpuMicros }]) => [
      name,
      rate.toFixed(0),
      ofFloor.toFixed(2),
      byCpu.toFixed(2),
      p99.toFixed(1),
      cpuMicros.toFixed(0),
    ]),
  ],
);
if (values.json)
  writeFileSync(values.json, JSON.stringify({ rows: { floor, ...rows }, samples: [...samples] }, null, 2));
const byCpu = rows['call-2026']?.byCpu;
if (byCpu !== undefined) {
  printFindings([
    { what: 'an allowed call, by CPU', figure: byCpu, unit: '', bar: { least: MCP_CALL_BY_CPU } },
  ]);
}
process.exit();
