import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, seconds } from './fault.ts';

/** Everything acknowledged is on the standby, because commits are acknowledged only then. */
export const primaryKilled: Fault = {
  name: 'primary-killed',
  summary:
    'kill -9 the primary under load and promote its synchronous standby, which then gets a standby itself',
  rounds: 6,
  async strike(world, { random, short }) {
    const { database } = world;
    // In half of the rounds the standby is cut off before the primary is killed. No commit may be answered after the
    // cut.
    const isBehind = random.chance(0.5);
    if (isBehind) {
      database.cutReplication();
      await delay(short ? 300 : random.between(100, 1500));
    }
    const started = performance.now();
    await database.failOver();
    const promoted = performance.now() - started;
    await world.untilAllServing();
    const recovered = performance.now() - started;
    await database.makeStandby();
    return (
      `the primary was killed${isBehind ? ', its standby behind it' : ''}; promoted after ${seconds(promoted)}, ` +
      `all gates made changes after ${seconds(recovered)}`
    );
  },
};
