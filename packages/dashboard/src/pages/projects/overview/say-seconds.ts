import { formatDuration } from '../../../ui/time.tsx';

/** How long something took: `42 s`, `4 min 9 s`, then as durations are said elsewhere. */
export function saySeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return formatDuration(seconds * 1000);
}
