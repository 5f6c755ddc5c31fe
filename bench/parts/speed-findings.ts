/** The bars that the rounds met. */
import { BY_CPU, type Finding, MAIN_THREAD, OF_EMPTY, P99_MS, P99_OF_EMPTY, P99_ROWS } from '../bars.ts';
import type { BenchOptions } from '../options.ts';
import type { Sample } from '../round.ts';
import { type Medians, overRounds } from './medians.ts';
import type { SpeedRound } from './speed.ts';

/** @param rows The rows of the gate with an empty store and its limiter on. */
export function speedFindings(
  rows: Readonly<Record<string, Medians>>,
  { operations }: BenchOptions,
): Finding[] {
  return [...operations].flatMap((operation) => {
    const row = rows[operation];
    const ms = P99_ROWS.includes(operation) ? P99_MS : undefined;
    return [
      ...atLeast(`${operation}, by CPU`, row?.byCpu, BY_CPU[operation]),
      ...atLeast(`${operation}, main thread`, row?.mainThread, MAIN_THREAD[operation]),
      ...atMost(`${operation}, p99`, row?.p99, ms, 'ms'),
    ];
  });
}

/** Compares the full store with the empty one. Empty if there is none. */
export function storedFindings(rounds: readonly SpeedRound[], { operations }: BenchOptions): Finding[] {
  return [...operations].flatMap((operation) => {
    const compare = (figure: (full: Sample, empty: Sample) => number): number | undefined =>
      overRounds(rounds, ({ empty, stored }) => {
        const [full, beside] = [stored[operation], empty[operation]];
        return full && beside && figure(full, beside);
      });
    const byCpu = compare((full, empty) => empty.cpuMicros / full.cpuMicros);
    const p99 = compare((full, empty) => full.p99 / empty.p99);
    const times = P99_ROWS.includes(operation) ? P99_OF_EMPTY : undefined;
    return [
      ...atLeast(`${operation}, full store of empty, by CPU`, byCpu, OF_EMPTY[operation]),
      ...atMost(`${operation}, p99, full store of empty`, p99, times, '×'),
    ];
  });
}

function atLeast(what: string, figure: number | undefined, least: number | undefined): Finding[] {
  return figure === undefined || least === undefined ? [] : [{ what, figure, unit: '', bar: { least } }];
}

function atMost(
  what: string,
  figure: number | undefined,
  most: number | undefined,
  unit: Finding['unit'],
): Finding[] {
  return figure === undefined || most === undefined ? [] : [{ what, figure, unit, bar: { most } }];
}
