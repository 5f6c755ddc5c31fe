/**
 * `npm run bench:simulate -- [--intents 1000000] [--rate 1000] [--rounds 3]`: a simulation over a million stored
 * intents, and its effect on clients that create intents at the same time. Gate and simulation share one core; the load
 * has the other.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readFlags } from '../scripts/read-flags.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { bindLoad, SERVER_CORE } from './cores.ts';
import { createAtPace, type Latencies } from './simulate/paced-creates.ts';
import { POLICY } from './workload.ts';

const { values } = readFlags({
  options: {
    intents: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '1000' },
    quiet: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(`npm run bench:simulate -- [options]          (Linux with two cores and taskset)

  --intents 1000000   stored intents that are simulated
  --rate 1000         creations per second meanwhile
  --quiet 10          seconds of creations alone, for comparison
  --rounds 3          rounds`);
  process.exit(0);
}
const intents = Number(values.intents);
const rate = Number(values.rate);

/** Requires two people from 2,500 on, where the active policy requires one from 5,000 on. */
const DRAFT = {
  ...POLICY,
  rules: [
    {
      name: 'large refunds',
      match: { action: 'payments.*' },
      when: "params.amount >= 2500.0 && params.currency == 'EUR' && params.lines.exists(line, line.price > 100.0)",
      effect: 'require_approval',
      require: [{ from: ['role:owner'], count: 2 }],
    },
    ...(POLICY.rules as object[]),
  ],
};

interface Summary {
  evaluated: number;
  complete: boolean;
  seconds: number;
  changes: { changed: number; groups: unknown[] };
}

function simulate(port: number, key: string, projectId: string): Promise<Summary> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        port,
        host: '127.0.0.1',
        path: `/v1/projects/${projectId}/policies/simulate`,
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => {
          const last = JSON.parse(text.trim().split('\n').at(-1) ?? '{}') as Summary & { type: string };
          if (last.type === 'summary') resolve(last);
          else reject(new Error(text.slice(-500)));
        });
      },
    );
    asked.on('error', reject);
    asked.end(JSON.stringify({ policy: DRAFT, stored: { limit: intents } }));
  });
}

function tell(what: string, { count, p50, p99, max }: Latencies): void {
  console.log(
    `${what.padEnd(32)} ${String(count).padStart(7)} creates   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms   max ${max.toFixed(1)} ms`,
  );
}

type Credentials = Record<'project_id' | 'agent_key' | 'secret_key', string>;

async function measure(gate: ChildServer, made: Credentials): Promise<void> {
  const { port } = gate;
  const create = (until: Promise<unknown>) => createAtPace(port, made.agent_key, rate, until);
  const ask = () => simulate(port, made.secret_key, made.project_id);
  await create(delay(2000));
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    console.log(`round ${round}`);
    tell(`  creates at ${rate}/s alone`, await create(delay(Number(values.quiet) * 1000)));
    const before = gate.memory();
    gate.forgetPeak();
    const running = ask();
    tell('  creates beside a simulation', await create(running));
    const { peak } = gate.memory();
    tellOf('  simulation beside creates', await running);
    console.log(
      `${'  memory of the gate, resident'.padEnd(32)} ${before.resident.toFixed(0)} MB before, peak ${peak.toFixed(0)} MB`,
    );
  }
  tellOf('simulation alone', await ask());
}

function tellOf(what: string, { evaluated, seconds, changes, complete }: Summary): void {
  const a = (value: number): string => Math.round(value).toLocaleString('en');
  console.log(
    `${what.padEnd(32)} ${a(evaluated)} intents in ${seconds.toFixed(1)} s, ${a(evaluated / seconds)} per second; ${a(changes.changed)} change${complete ? '' : '; NOT COMPLETE'}`,
  );
}

bindLoad();
// Stored beside the repository's own files, because temporary directories are often in memory.
const directory = mkdtempSync(join(import.meta.dirname, '../node_modules/.bench-simulate-'));
try {
  const seeding = performance.now();
  const seed = join(import.meta.dirname, 'simulate/seed-past.ts');
  const { status } = spawnSync(process.execPath, [seed, directory, String(intents)], { stdio: 'inherit' });
  if (status !== 0) throw new Error('seeding failed');
  // Writes everything to the disk now, so that no write-back happens during the measurement.
  spawnSync('sync', ['-f', directory]);
  console.log(
    `seeded ${intents.toLocaleString('en')} intents in ${((performance.now() - seeding) / 1000).toFixed(0)} s`,
  );
  const made = JSON.parse(readFileSync(join(directory, 'bench.json'), 'utf8'));
  const gate = await startChild(join(import.meta.dirname, 'gate-server.ts'), {
    core: SERVER_CORE,
    args: [directory],
  });
  try {
    await measure(gate, made);
  } finally {
    await gate.stop();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
