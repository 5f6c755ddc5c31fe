import { setTimeout as delay } from 'node:timers/promises';
import { assertNoFindings } from '../scenario.ts';
import type { World } from './world.ts';

const WORK_MS = 1000;

/**
 * Tests the test: a primary that does not wait for its standby is lost, and what it alone had acknowledged with it. The
 * world is of no use afterwards.
 *
 * @throws FaultFound when no loss was found
 */
export async function findLossWithoutStandby(world: World): Promise<string> {
  const { database, chronicle } = world;
  await database.loseStandbySilently();
  world.startLoad();
  await delay(WORK_MS);
  await world.stopLoad();
  const acknowledged = chronicle.done().length;
  await database.failOver();
  const wrongs = await world.findWrongs();
  const lost = wrongs.filter((wrong) => wrong.includes('the intent is gone'));
  assertNoFindings(
    lost.length > 0
      ? []
      : [`of ${acknowledged} acknowledged changes none is missed; ${wrongs.length} other findings`],
    'without a synchronous standby',
  );
  return `control: without a synchronous standby ${lost.length} acknowledged changes are found to be lost`;
}
