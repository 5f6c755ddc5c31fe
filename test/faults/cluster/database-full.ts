import { setTimeout as delay } from 'node:timers/promises';
import { assertNoFindings } from '../scenario.ts';
import { NoAnswer, Unavailable } from '../stories/chronicle.ts';
import { type Fault, seconds } from './fault.ts';
import type { World } from './world.ts';

const FULL_MS = 8000;
const FULL_IN_SHORT_MS = 500;
const REFUSED_WITHIN_MS = 120_000;

/** A database that cannot write its log stops completely. Its supervisor restarts it until the start succeeds. */
export const databaseFull: Fault = {
  name: 'database-full',
  summary: 'the disk of the primary is filled under load and emptied again (needs root)',
  rounds: 4,
  needsSmallDisk: true,
  async strike(world, { short }) {
    const { database, disk } = world;
    if (!disk) throw new Error('there is no small disk');
    const supervision = database.supervisePrimary();
    disk.fill();
    const refusedAfter = await untilRefused(world);
    await delay(short ? FULL_IN_SHORT_MS : FULL_MS);
    disk.empty();
    const started = performance.now();
    await world.untilAllServing();
    const recovered = performance.now() - started;
    const starts = await supervision.end();
    return (
      `refused ${seconds(refusedAfter)} after the disk was full; the database was started again ${starts} times; ` +
      `all gates made changes ${seconds(recovered)} after there was room`
    );
  },
};

/** Writes until the gate refuses, because the space already allocated lasts for a while. */
async function untilRefused(world: World): Promise<number> {
  const started = performance.now();
  for (let n = 0; performance.now() - started < REFUSED_WITHIN_MS; n += 1) {
    const marker = `full_${started}_${n}`;
    const body = { action: 'iam.grant', params: { n: marker, note: 'x'.repeat(8000) } };
    const ask = { method: 'POST' as const, path: '/v1/intents', key: world.cast.agentKey, body };
    try {
      await world.chronicle.tell(world.gates[0], 'create', marker, ask);
    } catch (error) {
      if (error instanceof NoAnswer || error instanceof Unavailable) return performance.now() - started;
      throw error;
    }
  }
  assertNoFindings([`changes are acknowledged ${REFUSED_WITHIN_MS} ms after the disk was full`], 'full disk');
  return REFUSED_WITHIN_MS;
}
