import { setTimeout as delay } from 'node:timers/promises';
import { assertNoFindings } from '../scenario.ts';
import { errorOf } from '../stories/chronicle.ts';
import { type Fault, seconds } from './fault.ts';
import type { World } from './world.ts';

const CUT_MS = 30_000;
const CUT_IN_SHORT_MS = 2000;

/** A gate that cannot check whether a fact is still true must say so, instead of repeating the earlier fact. */
export const gateCutOff: Fault = {
  name: 'gate-cut-off',
  summary: 'one of three gates loses its connection to the database for half a minute, without notice',
  rounds: 3,
  async strike(world, { short }) {
    const [one, two, gate] = world.gates;
    world.way.cut();
    const started = performance.now();
    const others = Promise.all([world.untilServing(one), world.untilServing(two)]);
    // A brief cut must not be noticed: the delayed data arrives late.
    const refused = short ? '' : `answered 503 after ${seconds(await untilRefusing(world))}, and `;
    await others;
    await delay(Math.max(0, (short ? CUT_IN_SHORT_MS : CUT_MS) - (performance.now() - started)));
    world.way.heal();
    const recovered = await world.untilServing(gate);
    return (
      `gate 3 was cut off (${world.way.shown}); it ${refused}` +
      `made changes ${seconds(recovered)} after it had its way again`
    );
  },
};

/** Reads are refused as well, because cached facts may no longer be true. */
async function untilRefusing({ gates: [, , gate], cast }: World): Promise<number> {
  const started = performance.now();
  const answer = await gate.ask({
    method: 'GET',
    path: `/v1/projects/${cast.projectId}`,
    key: cast.secretKey,
  });
  assertNoFindings(
    answer?.status === 503 && errorOf(answer).code === 'service_unavailable'
      ? []
      : [`a read is answered ${answer?.status ?? 'nothing'} ${JSON.stringify(answer?.body)}`],
    'while cut off from the database',
  );
  return performance.now() - started;
}
