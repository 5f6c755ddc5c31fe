/** `npm run test:faults`: every scenario in its long form, one after another. See docs/faults.md. */
import { readFlags } from '../../scripts/read-flags.ts';
import { alteredLog } from './altered-log.ts';
import { clock } from './clock.ts';
import { standbyLost } from './cluster/on-cluster.ts';
import { connections } from './connections.ts';
import { diskFull, diskFullByShim } from './disk-full.ts';
import { hostilePolicy } from './hostile-policy.ts';
import { kill } from './kill.ts';
import { lyingDisk, powerLoss } from './power-loss.ts';
import { CannotRun, FaultFound, type Scenario } from './scenario.ts';
import { clusterScenarios, severalGates } from './several-gates.ts';
import installCompiler from './shim/install-compiler.ts';

const SCENARIOS: readonly Scenario[] = [
  kill,
  powerLoss,
  lyingDisk,
  diskFull,
  diskFullByShim,
  clock,
  alteredLog,
  connections,
  hostilePolicy,
  ...clusterScenarios,
  standbyLost,
  severalGates,
];

const { values: options, positionals: wanted } = readFlags({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const names = SCENARIOS.map(({ name }) => name);
const unknown = wanted.filter((name) => !names.includes(name));
const rounds = options.rounds === undefined ? undefined : Number(options.rounds);
const seed = Number(options.seed);
if (options.help) printHelp();
else if (unknown.length > 0 || !isWhole(rounds ?? 1, 1) || !isWhole(seed, 0)) {
  console.error(
    `${unknown.length > 0 ? `no scenario ${unknown.join(', ')}` : 'numbers are whole'}; see --help`,
  );
  process.exitCode = 2;
} else process.exitCode = await runAll();

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

function printHelp(): void {
  const width = Math.max(...names.map((name) => name.length));
  console.log(`npm run test:faults -- [SCENARIO…] [--rounds N] [--seed N]

Drives real gates into faults and checks what is left of what they promised. Without a scenario: all of them.

${SCENARIOS.map(({ name, summary, rounds: usual }) => `  ${name.padEnd(width)}  ${summary} (${usual} ${usual === 1 ? 'round' : 'rounds'})`).join('\n')}

  --rounds N  rounds of each scenario
  --seed N    the same choices again; the seed of a run is its first line

Exit code: 0 all passed, 1 a promise was broken, 2 usage. A scenario that this machine cannot run is named, with what
to do about it, and does not fail the run.`);
}

async function runAll(): Promise<number> {
  // Everything that this process starts must end with it, even if a signal ends it.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));
  installCompiler();
  console.log(`seed ${seed}`);
  let code = 0;
  for (const scenario of SCENARIOS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const started = performance.now();
    const verdict = await verdictOf(scenario);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${verdict.word.padEnd(4)}  ${scenario.name} (${seconds} s): ${verdict.text}`);
    if (verdict.word === 'FAIL') code = 1;
  }
  if (code !== 0) console.log(`again: npm run test:faults -- ${wanted.join(' ')} --seed ${seed}`);
  return code;
}

async function verdictOf(scenario: Scenario): Promise<{ word: 'PASS' | 'FAIL' | 'SKIP'; text: string }> {
  const say = (line: string) => console.log(`      ${scenario.name}: ${line}`);
  try {
    return {
      word: 'PASS',
      text: await scenario.run({ rounds: rounds ?? scenario.rounds, seed, short: false, say }),
    };
  } catch (error) {
    if (error instanceof CannotRun) return { word: 'SKIP', text: error.message };
    if (error instanceof FaultFound) return { word: 'FAIL', text: error.message };
    return { word: 'FAIL', text: (error as Error).stack ?? String(error) };
  }
}
