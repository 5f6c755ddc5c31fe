import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../gate/kernel/clock.ts';
import { createSteadyClock } from './clock.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');

let wall: number;
let monotonic: number;
let clock: Clock;
beforeEach(() => {
  wall = NOON;
  monotonic = 5000;
  clock = createSteadyClock({ wall: () => wall, monotonic: () => monotonic });
  clock.now();
});

function pass(ms: number): void {
  wall += ms;
  monotonic += ms;
}

function secondsSinceNoon(): number {
  return (Date.parse(clock.now()) - NOON) / 1000;
}

describe('a steady clock', () => {
  it('equals the machine’s clock while that advances evenly', () => {
    for (let n = 1; n <= 100; n += 1) {
      pass(37);
      expect(clock.now()).toBe(new Date(wall).toISOString());
    }
  });

  it('keeps advancing while the machine’s clock is set back', () => {
    wall -= 3_600_000;
    expect(secondsSinceNoon()).toBe(0);
    pass(1500);
    expect(secondsSinceNoon()).toBe(1.5);
    wall -= 3_600_000;
    pass(298_500);
    expect(secondsSinceNoon()).toBe(300);
  });

  it('follows a step forward, and does not undo it', () => {
    wall += 600_000;
    expect(secondsSinceNoon()).toBe(600);
    wall -= 600_000;
    pass(1000);
    expect(secondsSinceNoon()).toBe(601);
  });

  it('equals the machine’s clock again when that has caught up', () => {
    wall -= 10_000;
    pass(4000);
    wall += 10_000;
    pass(1000);
    expect(clock.now()).toBe(new Date(wall).toISOString());
  });

  it('loses no time to steps that come more often than it is read', () => {
    for (let n = 0; n < 10; n += 1) {
      pass(1000);
      wall -= 999;
    }
    expect(secondsSinceNoon()).toBe(10);
  });
});
