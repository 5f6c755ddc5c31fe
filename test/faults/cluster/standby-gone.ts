import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, seconds } from './fault.ts';

const GONE_MS = 20_000;
const GONE_IN_SHORT_MS = 1000;

/**
 * The primary answers no commit that the standby does not have, so no change may be confirmed while the standby is
 * gone.
 */
export const standbyGone: Fault = {
  name: 'standby-gone',
  summary: 'the standby is unreachable for a while: PostgreSQL answers no commit, but gates answer requests',
  rounds: 3,
  async strike(world, { short }) {
    world.database.cutReplication();
    await delay(short ? GONE_IN_SHORT_MS : GONE_MS);
    world.database.healReplication();
    return `all gates made changes ${seconds(await world.untilAllServing())} after the standby was back`;
  },
};
