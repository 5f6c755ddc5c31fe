/**
 * Runs faults on a cluster as scenarios. In the long form each fault has its own scenario; in the short form one
 * scenario has them all, one after another.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, seededRandom } from '../random.ts';
import { assertNoFindings, CannotRun, type Scenario, type ScenarioOptions } from '../scenario.ts';
import { mountTmpfs, type SmallDisk } from '../small-disk.ts';
import { inWorkplace } from '../workplace.ts';
import { Endpoints } from './endpoints.ts';
import type { Fault } from './fault.ts';
import { findLossWithoutStandby } from './standby-lost.ts';
import { World, type WorldOptions } from './world.ts';

/** Undisturbed work before and after each fault. */
const WORK_MS = 1500;
const WORK_IN_SHORT_MS = 200;
/** A new database takes a third of this disk. */
const DISK_MB = 160;

/** A fault alone: caused again and again, with all checks each time. */
export function onCluster({ name, summary, rounds, needsSmallDisk, strike }: Fault): Scenario {
  return {
    name,
    summary,
    rounds,
    run: (options) =>
      inWorld(name, options, { ownNetwork: true, smallDisk: needsSmallDisk }, async (world, random) => {
        for (let round = 1; round <= options.rounds; round += 1) {
          world.startLoad();
          await delay(WORK_MS);
          const seen = await strike(world, { random, short: options.short });
          await delay(WORK_MS);
          await world.stopLoad();
          assertNoFindings(await world.findWrongs(), `round ${round}, ${seen}`);
          options.say(`round ${round}/${options.rounds}: ${seen}`);
        }
        return world.counts;
      }),
  };
}

/** All faults briefly, one after another, on one cluster under one load, and then the control. */
export function oneAfterAnotherOnCluster(name: string, faults: readonly Fault[]): Scenario {
  return {
    name,
    summary: 'each of them briefly, one after another on one cluster under one load; then the control',
    rounds: 1,
    run: (options) =>
      inWorld(name, options, { smallDisk: 'if allowed' }, async (world, random) => {
        const endpoints = await Endpoints.open(world, random, ['takes', 'hangs', 'gone']);
        try {
          world.startLoad();
          for (const { name: what, needsSmallDisk, strike } of faults) {
            if (needsSmallDisk && !world.disk) {
              options.say(`${what} is left out: a small disk takes root and mount`);
              continue;
            }
            await delay(WORK_IN_SHORT_MS);
            options.say(`${what}: ${await strike(world, { random, short: true })}`);
          }
          await delay(WORK_IN_SHORT_MS);
          await world.stopLoad();
          assertNoFindings(await world.findWrongs(), 'after all of them');
          assertNoFindings(await endpoints.findUndelivered(world, world.records, false), 'webhooks');
          options.say(`webhooks: ${endpoints.counts}`);
          const { counts } = world;
          options.say(await findLossWithoutStandby(world));
          return counts;
        } finally {
          await endpoints.close();
        }
      }),
  };
}

/** The control alone. */
export const standbyLost: Scenario = {
  name: 'standby-lost',
  summary: 'the control: commits do not wait for the standby, so losses must be found when it is promoted',
  rounds: 1,
  run: (options) => inWorld('standby-lost', options, {}, (world) => findLossWithoutStandby(world)),
};

interface Needs extends Pick<WorldOptions, 'ownNetwork'> {
  smallDisk?: boolean | 'if allowed' | undefined;
}

/** Runs the work on a cluster that is removed afterwards. */
export async function inWorld(
  name: string,
  { seed }: ScenarioOptions,
  { smallDisk, ...more }: Needs,
  work: (world: World, random: Random) => Promise<string>,
): Promise<string> {
  const random = seededRandom(seed);
  return inWorkplace(name, async (folder) => {
    const disk = smallDisk ? smallDiskIn(folder, smallDisk) : undefined;
    const world = await World.open(folder, { random, ...(disk ? { disk } : {}), ...more });
    try {
      return await work(world, random);
    } finally {
      await world.close();
    }
  });
}

function smallDiskIn(folder: string, need: true | 'if allowed'): SmallDisk | undefined {
  const disk = mountTmpfs(folder, DISK_MB);
  if (!(disk instanceof Error)) return disk;
  if (need === 'if allowed') return undefined;
  throw new CannotRun(`a disk that can be filled takes root and mount (${disk.message})`);
}
