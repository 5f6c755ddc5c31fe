/**
 * The peak memory of a gate under load, for several gates started one after the other, because a single one says
 * little.
 */
import { operationsToRun } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import { measureOperation } from '../round.ts';
import type { Subject } from '../subject.ts';
import { showProgress } from '../table.ts';

/** @returns the peak of each gate since its start, in megabytes */
export async function measureMemory(
  start: () => Promise<Subject>,
  { memoryRuns, operations, perRound, rounds, connections }: BenchOptions,
): Promise<number[]> {
  const peaks: number[] = [];
  for (let run = 1; run <= memoryRuns; run += 1) {
    const subject = await start();
    try {
      for (let round = 1; round <= rounds; round += 1) {
        showProgress(`memory: run ${run} of ${memoryRuns}, round ${round} of ${rounds}`);
        for (const operation of operationsToRun(operations)) {
          await measureOperation(operation, subject, perRound, { connections });
        }
      }
      peaks.push(subject.server.memory().peak);
    } finally {
      await subject.stop();
    }
  }
  showProgress('');
  return peaks;
}
