/** The time of the gate under attack: real time, or a clock that an arena in the gate's own process moves. */
export interface RangeClock {
  /** In milliseconds since 1970. */
  now(): number;
  pass(seconds: number): Promise<void>;
}

export const WALL_CLOCK: RangeClock = {
  now: () => Date.now(),
  pass: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
};
