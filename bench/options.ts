import { readFlags, refuse } from '../scripts/read-flags.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { DEFAULT_STORE_DIR } from './store/prepare-store.ts';

export interface BenchOptions {
  rounds: number;
  /** Requests of each operation in a round. */
  perRound: number;
  connections: number;
  operations: ReadonlySet<Operation>;
  /** Intents in the database that is measured beside the empty one. 0: only the empty one is measured. */
  stored: number;
  storeDir: string;
  /** Extra time of each fsync in the part about slow disks. 0 skips that part. */
  fsyncDelayMs: number;
  profileDir: string | undefined;
  gateCores: 1 | 2;
  /** Measures only the memory of this many gates. 0: measures everything else. */
  memoryRuns: number;
  /** Measures only gates on a PostgreSQL of this run's own. */
  postgres: boolean;
  jsonFile: string | undefined;
  /** Whether a missed bar makes the command fail. */
  assert: boolean;
}

const HELP = `npm run bench -- [options]          (Linux with two cores and taskset)

  --rounds 5             number of rounds; the results are medians over them
  --requests 6000        requests of each operation in a round (4000 with --stored)
  --connections 64       connections of the load
  --only create,read     only these operations, out of ${OPERATIONS.join(', ')}
  --stored 1000000       also measure a gate whose database holds this many intents
  --store-dir DIR        where seeded databases are stored (${DEFAULT_STORE_DIR})
  --fsync-delay-ms 2     measure writes as on a disk whose fsync takes this much longer
  --postgres             one gate and two gates on PostgreSQL, against inserts and a bare server
  --gate-cores 2         give gates two cores and report the CPU time of their main thread. The load
                         gets the last core, which is the second of the gate if there are only two
  --memory-runs 5        start this many gates one after the other, on the full store if there is
                         one, and report only the median of their peak memory
  --quick                take half a minute, to check that it works and roughly what it costs
  --profile DIR          write a CPU profile of the gate in the measured rounds, which
                         bench/hot-spots.ts reads
  --json FILE            write every sample, and the medians of each row
  --assert               exit with 1 if a bar is missed`;

/** Ends the process for `--help` and for unknown arguments. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = readFlags({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      requests: { type: 'string' },
      connections: { type: 'string', default: '64' },
      only: { type: 'string' },
      stored: { type: 'string', default: '0' },
      'store-dir': { type: 'string', default: DEFAULT_STORE_DIR },
      'fsync-delay-ms': { type: 'string', default: '0' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'string' },
      'gate-cores': { type: 'string', default: '1' },
      'memory-runs': { type: 'string', default: '0' },
      postgres: { type: 'boolean', default: false },
      json: { type: 'string' },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  const stored = toNumber('--stored', values.stored, 0);
  // A store of a million intents has enough pending ones for this number in all rounds.
  const perRound = values.quick ? '2000' : stored > 0 ? '4000' : '6000';
  return {
    rounds: toNumber('--rounds', values.rounds ?? (values.quick ? '2' : '5'), 1),
    perRound: toNumber('--requests', values.requests ?? perRound, 1),
    connections: toNumber('--connections', values.connections, 1),
    operations: toOperations(values.only),
    stored,
    storeDir: values['store-dir'],
    fsyncDelayMs: toNumber('--fsync-delay-ms', values['fsync-delay-ms'], 0),
    profileDir: values.profile,
    gateCores: toCores(values['gate-cores']),
    memoryRuns: toNumber('--memory-runs', values['memory-runs'], 0),
    postgres: values.postgres,
    jsonFile: values.json,
    assert: values.assert,
  };
}

function toNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < least)
    refuse(`${name} must be a number of at least ${least}`);
  return value;
}

function toCores(text: string): 1 | 2 {
  if (text !== '1' && text !== '2') refuse('--gate-cores must be 1 or 2');
  return text === '2' ? 2 : 1;
}

function toOperations(only: string | undefined): ReadonlySet<Operation> {
  if (only === undefined) return new Set(OPERATIONS);
  const names = only.split(',');
  const known = OPERATIONS.filter((name) => names.includes(name));
  const unknown = names.filter((name) => !OPERATIONS.some((operation) => operation === name));
  if (unknown.length > 0)
    refuse(`--only: there is no ${unknown.join(', ')}. Operations: ${OPERATIONS.join(', ')}`);
  return new Set(known);
}
