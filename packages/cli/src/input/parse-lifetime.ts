import { parseDuration } from './parse-duration.ts';

const parseSeconds = parseDuration(1, 3650 * 86_400);

/** `90s`, `30m`, `12h`, `7d` → the instant that far from now; ten years at most. */
export function parseLifetime(text: string): string {
  return new Date(Date.now() + parseSeconds(text) * 1000).toISOString();
}
