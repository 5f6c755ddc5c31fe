/** The result of a simulation as far as the command line shows it. The rest of each line is passed on unchanged. */
import type { Difference } from './print-differences.ts';

export interface Differences {
  changed: number;
  stricter: number;
  looser: number;
  mixed: number;
  groups: readonly (Difference & { samples: readonly string[] })[];
  ungrouped: number;
}

export interface Summary {
  type: 'summary';
  in_force: { version: number; hash: string };
  draft: { hash: string };
  warnings: readonly { path: string; message: string }[];
  complete: boolean;
  scanned: number;
  evaluated: number;
  /** Intents that lost texts by erasure. */
  skipped: number;
  changes: Differences;
  since_made?: Differences;
  failures: readonly { policy: 'in_force' | 'draft'; rule: string; message: string; count: number }[];
  seconds: number;
}

export interface Progress {
  type: 'progress';
  scanned: number;
  total: number;
  changed: number;
}

export type SimulationLine = Progress | Summary | { type: 'started' };

export interface SimulationQuestion {
  policy?: Record<string, unknown>;
  intents?: readonly unknown[];
  stored?: Record<string, string | number>;
}
