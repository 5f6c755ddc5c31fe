/** The bars that the gate must meet, and whether it met them. */
import type { Operation } from './operations.ts';
import { printTable } from './table.ts';

export interface Finding {
  what: string;
  figure: number;
  unit: '' | 'ms' | 'MB' | '×';
  /** The limit: at least or at most this value. */
  bar: { least: number } | { most: number };
}

/** CPU per request of the floor, as a share of the CPU of the gate with its rate limiter on. */
export const BY_CPU: Partial<Record<Operation, number>> = {
  create: 0.36,
  'create-keyed': 0.26,
  read: 0.68,
  approve: 0.14,
  'verify-issued-here': 0.3,
  'verify-fresh': 0.14,
  'verify-repeated': 0.38,
  consume: 0.27,
  'list-page': 0.06,
};

/** As `BY_CPU`, for a call of an allowed tool through `/mcp`. */
export const MCP_CALL_BY_CPU = 0.07;

/** CPU of the floor, as a share of the CPU of the main thread of a gate with two cores. */
export const MAIN_THREAD: Partial<Record<Operation, number>> = { approve: 0.2 };

/** CPU per request on an empty store, as a share of the CPU on a full one. */
export const OF_EMPTY: Partial<Record<Operation, number>> = {
  create: 0.85,
  read: 0.7,
  approve: 0.55,
  consume: 0.55,
};

/** With fewer rounds, chance affects the figures more than the gate does. */
export const MEANINGFUL_ROUNDS = 5;

export const P99_ROWS: readonly Operation[] = [
  'create',
  'read',
  'approve',
  'verify-fresh',
  'verify-repeated',
];
export const P99_MS = 25;
/** p99 on a full store, as a multiple of that on an empty one. */
export const P99_OF_EMPTY = 2;
/** Peak resident memory under load, the median of several gates. */
export const MEMORY_MB = 250;
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
