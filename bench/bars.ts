/** What the gate must reach, and whether it did. */
import type { Operation } from './operations.ts';
import { printTable } from './table.ts';

export interface Finding {
  what: string;
  figure: number;
  unit: '' | 'ms' | 'MB' | '×';
  /** `at least` or `at most` so much. */
  bar: { least: number } | { most: number };
}

/** Requests a second, as a share of what the floor answers. */
export const OF_FLOOR: Partial<Record<Operation, number>> = {
  create: 0.45,
  read: 0.6,
  approve: 0.22,
  'verify-fresh': 0.13,
  'verify-repeated': 0.4,
};

/** Requests a second on a full store, as a share of those on an empty one. */
export const OF_EMPTY: Partial<Record<Operation, number>> = {
  create: 0.85,
  read: 0.9,
  approve: 0.85,
  'verify-fresh': 0.95,
  'verify-repeated': 0.95,
};

/** Fewer tell more of the moment than of the gate. */
export const MEANINGFUL_ROUNDS = 5;

export const P99_MS = 25;
/** p99 on a full store, of that on an empty one. */
export const P99_OF_EMPTY = 2;
export const MEMORY_MB = 300;
export const START_MS = 1000;
export const PAGE_MS = 5;

export function isMet({ figure, bar }: Finding): boolean {
  return 'least' in bar ? figure >= bar.least : figure <= bar.most;
}

export function printFindings(findings: readonly Finding[]): void {
  const rows = findings.map((finding) => {
    const { what, figure, unit, bar } = finding;
    const digits = unit === 'MB' || figure >= 100 ? 0 : 2;
    const wanted = 'least' in bar ? `≥ ${bar.least}` : `≤ ${bar.most}`;
    return [
      what,
      `${figure.toFixed(digits)} ${unit}`.trim(),
      `${wanted} ${unit}`.trim(),
      isMet(finding) ? 'yes' : 'NO',
    ];
  });
  printTable('Bars', ['', 'measured', 'bar', 'met'], rows);
}
