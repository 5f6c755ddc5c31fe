/** Gates die while they send webhooks, and endpoints behave as in reality. */
import { setTimeout as delay } from 'node:timers/promises';
import { assertNoFindings, type Scenario } from '../scenario.ts';
import { Endpoints } from './endpoints.ts';
import { gateKilled } from './gate-killed.ts';
import { inWorld } from './on-cluster.ts';

const WORK_MS = 1500;
/** Each event is stored for seven webhooks, so fewer events suffice. */
const PAUSE_MS = 500;

export const webhooks: Scenario = {
  name: 'webhooks',
  summary:
    'gates are killed while webhooks are sent to endpoints that hang, reset, answer 500 and 410, or redirect to loopback',
  rounds: 8,
  run: (options) =>
    inWorld('webhooks', options, {}, async (world, random) => {
      const endpoints = await Endpoints.open(world, random);
      try {
        world.startLoad(PAUSE_MS);
        for (let round = 1; round <= options.rounds; round += 1) {
          await delay(WORK_MS);
          const seen = await gateKilled.strike(world, { random, short: options.short });
          options.say(`round ${round}/${options.rounds}: ${seen}`);
        }
        await delay(WORK_MS);
        await world.stopLoad();
        assertNoFindings(await world.findWrongs(), 'after all of them');
        const started = performance.now();
        const wrongs = await endpoints.findUndelivered(world, world.records, true);
        assertNoFindings(wrongs, 'webhooks');
        const took = ((performance.now() - started) / 1000).toFixed(0);
        return `${endpoints.counts}; all delivered ${took} s after the last of them; ${world.counts}`;
      } finally {
        await endpoints.close();
      }
    }),
};
