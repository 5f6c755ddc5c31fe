import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, seconds } from './fault.ts';

/** Supervisors restart the killed gates while the others continue. */
export const gateKilled: Fault = {
  name: 'gate-killed',
  summary: 'kill -9 one or two of three gates under load, again and again',
  rounds: 12,
  async strike(world, { random, short }) {
    const spared = random.pick(world.gates);
    const others = world.gates.filter((gate) => gate !== spared);
    const killed = random.chance(0.3) ? others : [random.pick(others)];
    await Promise.all(killed.map((gate) => gate.kill()));
    await delay(short ? 100 : random.between(100, 2000));
    const started = performance.now();
    await Promise.all(killed.map((gate) => gate.start()));
    await Promise.all(killed.map((gate) => world.untilServing(gate)));
    const names = killed.map(({ name }) => name).join(' and ');
    return `killed: gate ${names}; started again, making changes after ${seconds(performance.now() - started)}`;
  },
};
