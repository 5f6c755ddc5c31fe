import { formatDuration } from '../../../ui/format.ts';

/** A duration: `42 s`, `4 min 9 s`, and longer ones as everywhere else. */
export function saySeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return formatDuration(seconds * 1000);
}
