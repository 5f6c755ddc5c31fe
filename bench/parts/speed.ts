/**
 * Every operation in interleaved rounds: the floor, two gates on empty stores and, if there is one, the gate on a full
 * store.
 */
import type { ChildServer } from '../child-server.ts';
import { type Operation, operationsToRun } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import { measureFloor, measureOperation, type Sample } from '../round.ts';
import type { Subject } from '../subject.ts';
import { showProgress } from '../table.ts';

type Samples = Partial<Record<Operation, Sample>>;

export interface SpeedRound {
  floor: Sample;
  empty: Samples;
  unlimited: Samples;
  stored: Samples;
}

/** `unlimited` has an empty store and its rate limiter off. The others have theirs on, as users do. */
export type Subjects = { empty: Subject; unlimited: Subject; stored?: Subject };

const TURNS: readonly (keyof Subjects)[] = ['empty', 'unlimited', 'stored'];
/** Before this many requests of each operation, V8's compilers use up to a fifth of the gate's CPU. */
const WARM_UP = 10_000;

/** The total requests of each operation on a measured gate. A gate needs that many permits. */
export function requestsInAll(rounds: number, perRound: number): number {
  return rounds * perRound + warmUp(perRound);
}

/** A short run only shows that the benchmark works, so its warm-up is short. */
function warmUp(perRound: number): number {
  return Math.min(WARM_UP, 2 * perRound);
}

export async function measureSpeed(
  floor: ChildServer,
  subjects: Subjects,
  options: BenchOptions,
): Promise<SpeedRound[]> {
  await runRound(floor, subjects, options, warmUp(options.perRound), 0);
  for (const { server } of Object.values(subjects)) server.forgetPeak();
  const rounds: SpeedRound[] = [];
  const { server } = subjects.stored ?? subjects.empty;
  await server.profileWhile(options.profileDir, async () => {
    for (let round = 1; round <= options.rounds; round += 1) {
      showProgress(`round ${round} of ${options.rounds}`);
      rounds.push(await runRound(floor, subjects, options, options.perRound, round));
    }
  });
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
    unlimited: {},
    stored: {},
  };
  // The order alternates, so that no gate always follows another.
  const order = round % 2 === 0 ? TURNS : TURNS.toReversed();
  for (const operation of operationsToRun(operations)) {
    for (const which of order) {
      const subject = subjects[which];
      if (!subject) continue;
      measured[which][operation] = await measureOperation(operation, subject, count, { connections });
    }
  }
  return measured;
}
