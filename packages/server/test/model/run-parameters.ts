import type { Parameters } from 'fast-check';

/** How many sequences, and which: FC_RUNS raises the number, FC_SEED and FC_PATH replay what a failure printed. */
export function runParameters(numRuns: number): Parameters<unknown> {
  const { FC_RUNS, FC_SEED, FC_PATH } = process.env;
  return {
    numRuns: FC_RUNS ? Number(FC_RUNS) : numRuns,
    ...(FC_SEED ? { seed: Number(FC_SEED) } : {}),
    ...(FC_PATH ? { path: FC_PATH } : {}),
    // Shrinking opens a gate for every attempt: long enough to be useful, short enough for a build.
    interruptAfterTimeLimit: 300_000,
  };
}
