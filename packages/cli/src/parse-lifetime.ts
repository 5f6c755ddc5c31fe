import { InvalidArgumentError } from 'commander';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const LONGEST_SECONDS = 3650 * 86_400;

/** `90s`, `30m`, `12h`, `7d` → the instant that far from now. */
export function parseLifetime(text: string): string {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0);
  if (seconds < 1 || seconds > LONGEST_SECONDS)
    throw new InvalidArgumentError('Write a number and a unit: 90s, 30m, 12h or 7d; ten years at most.');
  return new Date(Date.now() + seconds * 1000).toISOString();
}
