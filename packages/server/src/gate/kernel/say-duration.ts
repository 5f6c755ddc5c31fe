const SECONDS = longUnit('second');
const MINUTES = longUnit('minute');
const HOURS = longUnit('hour');

/**
 * Words for a sentence, rounded up to whole units.
 *
 * @example sayDuration(42) // '42 seconds'
 * @example sayDuration(870) // '15 minutes'
 */
export function sayDuration(seconds: number): string {
  if (seconds <= 120) return SECONDS.format(Math.ceil(seconds));
  return seconds <= 7200 ? MINUTES.format(Math.ceil(seconds / 60)) : HOURS.format(Math.ceil(seconds / 3600));
}

function longUnit(unit: string): Intl.NumberFormat {
  return new Intl.NumberFormat('en-GB', { style: 'unit', unit, unitDisplay: 'long' });
}
