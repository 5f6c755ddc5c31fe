/** Summarises the rounds: the medians of each row, and their tables. */
import { median } from '../median.ts';
import type { Operation } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import type { Sample } from '../round.ts';
import { printTable } from '../table.ts';
import type { SpeedRound } from './speed.ts';

/** Undefined when the figure was not measured, or has no meaning. */
export type Medians = Record<(typeof COLUMNS)[number]['of'], number | undefined>;

const COLUMNS = [
  { of: 'rate', name: 'per second', digits: 0 },
  { of: 'ofFloor', name: 'of floor', digits: 2 },
  { of: 'byCpu', name: 'by CPU', digits: 2 },
  { of: 'byCpuWithoutLimiter', name: 'by CPU, no limiter', digits: 2 },
  { of: 'mainThread', name: 'main thread', digits: 2 },
  { of: 'sealed', name: 'sealed', digits: 2 },
  { of: 'p50', name: 'p50 ms', digits: 1 },
  { of: 'p99', name: 'p99 ms', digits: 1 },
  { of: 'cpuMicros', name: 'CPU µs', digits: 0 },
  { of: 'perCommit', name: 'per commit', digits: 1 },
  { of: 'fsyncs', name: 'fsyncs', digits: 2 },
  { of: 'loadBusy', name: 'load', digits: 2 },
] as const;

type Pick = (round: SpeedRound) => Sample | undefined;

/** The median of a figure over the rounds that have it. Undefined if no round has it. */
export function overRounds(
  rounds: readonly SpeedRound[],
  pick: (round: SpeedRound) => number | undefined,
): number | undefined {
  const known = rounds.flatMap((round) => pick(round) ?? []);
  return known.length > 0 ? median(known) : undefined;
}

/** The rows of everything measured, including the floor. */
export function rowsOf(
  rounds: readonly SpeedRound[],
  which: 'empty' | 'stored',
  { operations, gateCores }: BenchOptions,
): Record<string, Medians> {
  const row = (limited: Pick, unlimited: Pick): Medians => mediansOf(rounds, limited, unlimited, gateCores);
  const none = (): undefined => undefined;
  const unlimitedOf = (name: Operation): Pick =>
    which === 'empty' ? (round) => round.unlimited[name] : none;
  return {
    floor: row(({ floor }) => floor, none),
    ...Object.fromEntries(
      [...operations].map((name) => [name, row((round) => round[which][name], unlimitedOf(name))]),
    ),
  };
}

function mediansOf(
  rounds: readonly SpeedRound[],
  limited: Pick,
  unlimited: Pick,
  gateCores: BenchOptions['gateCores'],
): Medians {
  const of = (
    figure: (sample: Sample, floor: Sample) => number | undefined,
    pick = limited,
  ): number | undefined =>
    overRounds(rounds, (round) => {
      const sample = pick(round);
      return sample && figure(sample, round.floor);
    });
  const byCpu = (sample: Sample, floor: Sample): number => floor.cpuMicros / sample.cpuMicros;
  const writes = (of(({ commits }) => commits) ?? 0) > 1;
  const writing: typeof of = (figure) => (writes ? of(figure) : undefined);
  return {
    rate: of(({ rate }) => rate),
    ofFloor: of(({ rate }, floor) => rate / floor.rate),
    byCpu: of(byCpu),
    byCpuWithoutLimiter: of(byCpu, unlimited),
    mainThread: gateCores === 2 ? of(({ mainMicros }, floor) => floor.cpuMicros / mainMicros) : undefined,
    sealed: writing(({ sealedRate }, floor) => sealedRate / floor.rate),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpuMicros: of(({ cpuMicros }) => cpuMicros),
    perCommit: writing(({ requests, commits }) => requests / commits),
    fsyncs: writing(({ syncs, commits }) => (commits > 0 ? syncs && syncs / commits : undefined)),
    loadBusy: of(({ loadBusy }) => loadBusy),
  };
}

export function printRows(title: string, rows: Readonly<Record<string, Medians>>): void {
  const columns = COLUMNS.filter(({ of }) => Object.values(rows).some((row) => row[of] !== undefined));
  printTable(
    title,
    ['', ...columns.map(({ name }) => name)],
    Object.entries(rows).map(([name, row]) => [
      name,
      ...columns.map(({ of, digits }) => {
        const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
        return row[of]?.toLocaleString('en', fraction) ?? '';
      }),
    ]),
  );
}

export const LEGEND = `
  of floor    requests per second, compared with the bare server of the same round
  by CPU      the floor's CPU per request, divided by that of this operation with its sealing: leaves out waiting
  no limiter  the same, for a gate whose rate limiter is off; in all other columns it is on
  main thread as by CPU, for the main thread of the gate only: its limit with enough cores for other threads
  sealed      as of floor, until the events of these requests are sealed as well
  per commit  requests per commit; fsyncs: calls per commit; load: share of its own core that the load used`;
