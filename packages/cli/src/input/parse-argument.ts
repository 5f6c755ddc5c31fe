/** Reads command-line values, as commander passes them on. */
import { InvalidArgumentError } from 'commander';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Reads an option that takes a duration within these bounds, in seconds.
 *
 * @example .option('--wait <time>', 'longest wait', parseDuration(0, 86_400)) // 90s, 5m, 12h
 */
export function parseDuration(least: number, most: number): (text: string) => number {
  return (text) => {
    const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
    const seconds = count === '' ? Number.NaN : Number(count) * (UNIT_SECONDS[unit] ?? 0);
    if (seconds >= least && seconds <= most) return seconds;
    throw new InvalidArgumentError(
      `Must be a number and a unit, such as 90s, 30m, 12h or 7d, from ${spell(least)} to ${spell(most)}.`,
    );
  };
}

/** @example spell(5400) === '90m' */
export function spell(seconds: number): string {
  const [unit, size] = Object.entries(UNIT_SECONDS)
    .toReversed()
    .find(([, size]) => seconds > 0 && seconds % size === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

/**
 * Reads an option that takes a whole number within these bounds.
 *
 * @example .option('--limit <n>', 'most items to list', wholeNumber(1, 200))
 */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Must be an integer from ${least} to ${most}.`);
  };
}

const parseSeconds = parseDuration(1, 3650 * 86_400);

/** `90s`, `30m`, `12h`, `7d` → the instant that far from now. At most ten years. */
export function parseLifetime(text: string): string {
  return new Date(Date.now() + parseSeconds(text) * 1000).toISOString();
}
