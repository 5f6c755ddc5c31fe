import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, seconds } from './fault.ts';

const FROZEN_MS = 60_000;
const FROZEN_IN_SHORT_MS = 3000;

/**
 * Other gates wait only briefly for anything that a suspended gate holds. It may not finish work that others have
 * replaced.
 */
export const gateFrozen: Fault = {
  name: 'gate-frozen',
  summary: 'one of three gates stops for a minute in the middle of writes (SIGSTOP), and continues',
  rounds: 3,
  async strike(world, { random, short }) {
    const gate = random.pick(world.gates);
    const others = world.gates.filter((other) => other !== gate);
    gate.freeze();
    const started = performance.now();
    const served = await Promise.all(others.map((other) => world.untilServing(other)));
    await delay(Math.max(0, (short ? FROZEN_IN_SHORT_MS : FROZEN_MS) - (performance.now() - started)));
    gate.thaw();
    const recovered = await world.untilServing(gate);
    return (
      `gate ${gate.name} stood still; the others made changes within ${seconds(Math.max(...served))}, ` +
      `and it ${seconds(recovered)} after it went on`
    );
  },
};
