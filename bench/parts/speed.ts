/** Every operation in interleaved rounds: floor, empty gate and, where there is one, the gate on a full store. */

import { type Finding, OF_EMPTY, OF_FLOOR, P99_MS, P99_OF_EMPTY } from '../bars.ts';
import type { ChildServer } from '../child-server.ts';
import { median } from '../median.ts';
import { type Operation, operationsToRun } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import { measureFloor, measureOperation, type Sample } from '../round.ts';
import type { Subject } from '../subject.ts';
import { printTable, showProgress } from '../table.ts';

export interface SpeedRound {
  floor: Sample;
  empty: Partial<Record<Operation, Sample>>;
  stored: Partial<Record<Operation, Sample>>;
}

type Which = 'empty' | 'stored';
export type Subjects = { empty: Subject; stored?: Subject };

const WARM_UP = 2000;

/** Requests of each operation the measured gates see in all: each takes as many permits. */
export function requestsInAll(rounds: number, perRound: number): number {
  return rounds * perRound + Math.min(WARM_UP, perRound);
}

export async function measureSpeed(
  floor: ChildServer,
  subjects: Subjects,
  options: BenchOptions,
): Promise<SpeedRound[]> {
  await runRound(floor, subjects, options, Math.min(WARM_UP, options.perRound), 0);
  for (const { server } of Object.values(subjects)) server.forgetPeak();
  const rounds: SpeedRound[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    showProgress(`round ${round} of ${options.rounds}`);
    rounds.push(await runRound(floor, subjects, options, options.perRound, round));
  }
  showProgress('');
  return rounds;
}

async function runRound(
  floor: ChildServer,
  subjects: Subjects,
  { operations, connections }: BenchOptions,
  count: number,
  round: number,
): Promise<SpeedRound> {
  const measured: SpeedRound = {
    floor: await measureFloor(floor, count, { connections }),
    empty: {},
    stored: {},
  };
  // Turn about, so that neither always follows the other.
  const order: Which[] = round % 2 === 0 ? ['empty', 'stored'] : ['stored', 'empty'];
  for (const operation of operationsToRun(operations)) {
    for (const which of order) {
      const subject = subjects[which];
      if (!subject) continue;
      measured[which][operation] = await measureOperation(operation, subject, count, { connections });
    }
  }
  return measured;
}

/** The median over the rounds of something that is known of each. */
function overRounds(rounds: readonly SpeedRound[], pick: (round: SpeedRound) => number | undefined): number {
  return median(rounds.flatMap((round) => pick(round) ?? []));
}

export function printSpeed(
  rounds: readonly SpeedRound[],
  { operations }: BenchOptions,
  stored: number,
): void {
  const floor = (pick: (sample: Sample) => number): number =>
    overRounds(rounds, (round) => pick(round.floor));
  const floorRow = [
    'floor',
    Math.round(floor((s) => s.rate)).toLocaleString('en'),
    '1.00',
    '1.00',
    '',
    ...[(s: Sample) => s.p50, (s: Sample) => s.p99].map((pick) => floor(pick).toFixed(1)),
    floor((s) => s.cpuMicros).toFixed(0),
    '',
    '',
    floor((s) => s.loadBusy).toFixed(2),
  ];
  for (const which of ['empty', 'stored'] as const) {
    if (!rounds[0]?.[which] || Object.keys(rounds[0][which]).length === 0) continue;
    printTable(
      which === 'empty' ? 'An empty store' : `A store of ${stored.toLocaleString('en')} intents`,
      [
        '',
        'per second',
        'of floor',
        'by CPU',
        'sealed',
        'p50 ms',
        'p99 ms',
        'CPU µs',
        'per commit',
        'fsyncs',
        'load',
      ],
      [floorRow, ...[...operations].map((operation) => rowOf(rounds, which, operation))],
    );
  }
  console.log(`
  of floor    requests a second, against the bare server of the same round
  by CPU      the floor's CPU for a request, against this one's with its sealing: the same, but for waiting
  sealed      as of floor, until the events of these requests are sealed as well
  per commit  requests; fsyncs: calls for each commit; load: share of its own core the load took`);
}

function rowOf(rounds: readonly SpeedRound[], which: Which, operation: Operation): string[] {
  const of = (pick: (sample: Sample, floor: Sample) => number | undefined): number =>
    overRounds(rounds, (round) => {
      const sample = round[which][operation];
      return sample && pick(sample, round.floor);
    });
  const writes = of((sample) => sample.commits) > 1;
  const syncs = of((sample) =>
    sample.commits > 0 ? sample.syncs && sample.syncs / sample.commits : undefined,
  );
  return [
    operation,
    Math.round(of((sample) => sample.rate)).toLocaleString('en'),
    of((sample, floor) => sample.rate / floor.rate).toFixed(2),
    of((sample, floor) => floor.cpuMicros / sample.cpuMicros).toFixed(2),
    writes ? of((sample, floor) => sample.sealedRate / floor.rate).toFixed(2) : '',
    of((sample) => sample.p50).toFixed(1),
    of((sample) => sample.p99).toFixed(1),
    of((sample) => sample.cpuMicros).toFixed(0),
    writes ? of((sample) => sample.requests / sample.commits).toFixed(1) : '',
    writes && !Number.isNaN(syncs) ? syncs.toFixed(2) : '',
    of((sample) => sample.loadBusy).toFixed(2),
  ];
}

export function speedFindings(rounds: readonly SpeedRound[], { operations }: BenchOptions): Finding[] {
  const findings: Finding[] = [];
  for (const operation of operations) {
    const ofFloor = OF_FLOOR[operation];
    if (ofFloor === undefined) continue;
    const ratio = overRounds(
      rounds,
      ({ empty, floor }) => (empty[operation]?.rate ?? Number.NaN) / floor.rate,
    );
    const p99 = overRounds(rounds, ({ empty }) => empty[operation]?.p99);
    findings.push({ what: `${operation}, of the floor`, figure: ratio, unit: '', bar: { least: ofFloor } });
    findings.push({ what: `${operation}, p99`, figure: p99, unit: 'ms', bar: { most: P99_MS } });
  }
  return findings;
}

/** How the full store does beside the empty one; nothing where there is none. */
export function storedFindings(
  rounds: readonly SpeedRound[],
  { operations, stored }: BenchOptions,
): Finding[] {
  if (stored === 0) return [];
  const findings: Finding[] = [];
  for (const operation of operations) {
    const ofEmpty = OF_EMPTY[operation];
    if (ofEmpty === undefined) continue;
    const compare = (pick: (sample: Sample) => number): number =>
      overRounds(rounds, ({ empty, stored: full }) => {
        const [a, b] = [full[operation], empty[operation]];
        return a && b && pick(a) / pick(b);
      });
    findings.push({
      what: `${operation}, full store of empty`,
      figure: compare((sample) => sample.rate),
      unit: '',
      bar: { least: ofEmpty },
    });
    findings.push({
      what: `${operation}, p99, full store of empty`,
      figure: compare((sample) => sample.p99),
      unit: '×',
      bar: { most: P99_OF_EMPTY },
    });
  }
  return findings;
}
