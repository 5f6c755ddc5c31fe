/** The power fails at any moment: everything acknowledged was on the disk, and the disk's content is consistent. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProblems, findProblemsOfFirstStart } from './power-loss/check-disk.ts';
import { CrashedDisk, FATES, type Fate } from './power-loss/crashed-disk.ts';
import { findLostOfFirstStart, recordFirstStart } from './power-loss/first-start.ts';
import type { JournalRecord } from './power-loss/journal.ts';
import { recordGate } from './power-loss/recorded-gate.ts';
import { type Random, seededRandom } from './random.ts';
import { assertNoFindings, FaultFound, type Scenario, type ScenarioOptions } from './scenario.ts';
import { compileShim } from './shim/shim.ts';
import { inWorkplace } from './workplace.ts';

/** How long a gate works, in milliseconds, and how many possible disks are checked after its end. */
const LIFE = { least: 400, most: 3000 };
const DISKS = 15;
const IN_SHORT = { life: { least: 250, most: 500 }, disks: 6 };

export const powerLoss: Scenario = {
  name: 'power-loss',
  summary: 'disks as a power failure may leave them, made from every write and sync of a gate at work',
  rounds: 10,
  run: (options) => runPowerLoss(options),
};

/**
 * The same on a disk that reports syncs without doing them. If nothing were found there, the scenario above would prove
 * nothing.
 */
export const lyingDisk: Scenario = {
  name: 'lying-disk',
  summary: 'the same with syncs that do nothing: there it must find what is lost (a test of the test)',
  rounds: 2,
  run: async (options) => {
    for (let round = 1; round <= options.rounds; round += 1) {
      const outcome = await runPowerLoss(
        { ...options, rounds: 1, seed: options.seed + round },
        { swallowSyncs: true },
      ).then(
        () => null,
        (error: unknown) => error,
      );
      if (outcome === null) throw new FaultFound(['nothing was found lost on a disk that syncs nothing']);
      if (!(outcome instanceof FaultFound)) throw outcome;
      options.say(`round ${round}/${options.rounds}: found, as it must: ${outcome.message.split('\n')[0]}`);
    }
    return `on a disk that syncs nothing, losses were found in each of ${options.rounds} rounds`;
  },
};

interface Crash {
  /** The number of journal records that were written. */
  at: number;
  fate: Fate;
}

async function runPowerLoss(
  { rounds, seed, short, say }: ScenarioOptions,
  { swallowSyncs = false }: { swallowSyncs?: boolean } = {},
): Promise<string> {
  const shim = compileShim();
  const random = seededRandom(seed);
  const { life, disks } = short ? IN_SHORT : { life: LIFE, disks: DISKS };
  let tried = 0;
  for (let round = 1; round <= rounds; round += 1) {
    await inWorkplace('power', async (folder) => {
      if (!swallowSyncs) tried += await tryFirstStart(folder, { shim, disks, random });
      const lifeMs = random.between(life.least, life.most);
      const recorded = await recordGate(folder, { shim, random, lifeMs, swallowSyncs });
      const { cast, chronicle, journal } = recorded;
      const crashes = chooseCrashes(journal, disks, random);
      const find = (image: string, through: number) =>
        through < 0 ? findProblemsOfFirstStart(image) : findProblems(image, { cast, chronicle, through });
      assertNoFindings(await findAfter(crashes, folder, recorded, random, find), `round ${round}`);
      tried += crashes.length;
      const syncs = journal.filter(({ operation }) => operation === 'sync done').length;
      say(
        `round ${round}/${rounds}: ${journal.length} records of the journal, ${syncs} syncs, ` +
          `${chronicle.answered} answers; ${crashes.length} disks tried`,
      );
    });
  }
  return `${tried} disks after a power failure: everything acknowledged was there, nothing half done`;
}

async function tryFirstStart(
  folder: string,
  { shim, disks, random }: { shim: string; disks: number; random: Random },
): Promise<number> {
  const own = join(folder, 'first');
  mkdirSync(own);
  const first = await recordFirstStart(own, shim);
  const crashes = chooseCrashes(first.journal, Math.ceil(disks / 2), random);
  const find = (image: string, through: number) => findLostOfFirstStart(image, first, through);
  assertNoFindings(await findAfter(crashes, own, first, random, find), 'first start');
  return crashes.length;
}

/**
 * A third of the moments are right after an answer, when most is promised. A third are during writes of the database
 * itself, which its log must repair. The rest are anywhere. Sorted by time.
 */
function chooseCrashes(journal: readonly JournalRecord[], disks: number, random: Random): Crash[] {
  const after = (is: (record: JournalRecord) => boolean) =>
    journal.flatMap((record, n) => (is(record) ? [n + 1] : []));
  const moments = [
    after(({ operation }) => operation === 'mark'),
    after(({ operation, path }) => operation === 'write' && path.endsWith('.sqlite')),
    after(() => true),
  ].filter((some) => some.length > 0);
  return Array.from({ length: disks }, (_, n) => ({
    at: random.pick(moments[n % moments.length] ?? []),
    // Every fate occurs, for any seed.
    fate: FATES[n % FATES.length] ?? 'none',
  })).sort((a, b) => a.at - b.at);
}

/** @param find Finds the problems of an image, when the last mark before the power failed was `through`; -1: none. */
async function findAfter(
  crashes: readonly Crash[],
  folder: string,
  { journal, dataDir }: { journal: readonly JournalRecord[]; dataDir: string },
  random: Random,
  find: (image: string, through: number) => Promise<string[]>,
): Promise<string[]> {
  const disk = new CrashedDisk(dataDir);
  const findings: string[] = [];
  let applied = 0;
  let through = -1;
  for (const { at, fate } of crashes) {
    for (const record of journal.slice(applied, at)) {
      if (record.operation === 'mark') through = record.offset;
      else disk.apply(record);
    }
    applied = at;
    const image = join(folder, 'image');
    disk.writeTo(image, fate, random);
    const found = await find(image, through);
    findings.push(
      ...found.map((finding) => `record ${at} of ${journal.length}, unsynced writes "${fate}": ${finding}`),
    );
    rmSync(image, { recursive: true, force: true });
  }
  return findings;
}
