/** Timestamps and durations of conditions. Without a time zone, every part of a date is in UTC. */
import { ConditionFailure } from './failure.ts';
import { Duration } from './value.ts';

/** RFC 3339 with a time zone. Without a zone, a text would mean different instants on different machines. */
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

const LATEST_SECONDS = 253_402_300_799;
const EARLIEST_SECONDS = -62_135_596_800;

export function toTimestamp(value: string | number): Date {
  if (typeof value === 'number') {
    if (value >= EARLIEST_SECONDS && value <= LATEST_SECONDS) return new Date(value * 1000);
  } else if (value.length <= 40 && RFC_3339.test(value)) {
    const date = new Date(value);
    if (!Number.isNaN(date.getTime())) return date;
  }
  throw new ConditionFailure(
    'timestamp() needs an RFC 3339 text with a time zone, or seconds since the epoch',
  );
}

const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
  ['us', 0.001],
  ['ns', 0.000001],
]);

export function toDuration(text: string): Duration {
  const match = text.length <= 64 ? /^([+-]?)((?:\d+(?:\.\d+)?(?:h|ms|m|s|us|ns))+)$/.exec(text) : null;
  if (!match) throw new ConditionFailure('duration() needs a text such as "90m" or "1h30m"');
  let milliseconds = 0;
  for (const [, amount, unit] of (match[2] ?? '').matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|ns)/g)) {
    milliseconds += Number(amount) * (MILLISECONDS.get(unit ?? '') ?? 0);
  }
  return new Duration(match[1] === '-' ? -milliseconds : milliseconds);
}

/** Moves a timestamp so that its UTC parts equal the parts in the time zone. */
export type ZoneShift = (date: Date) => Date;

/** Undefined for a time zone that the runtime does not know. */
export function compileZone(timeZone: string): ZoneShift | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  return (date) => {
    const part = new Map(format.formatToParts(date).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes) => part.get(type) ?? 0;
    return new Date(
      Date.UTC(
        of('year'),
        of('month') - 1,
        of('day'),
        of('hour'),
        of('minute'),
        of('second'),
        date.getUTCMilliseconds(),
      ),
    );
  };
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

/** The parts of a date by their CEL names. Months, days of the month (`getDayOfMonth`) and of the week count from 0. */
export const DATE_PARTS: ReadonlyMap<string, (date: Date) => number> = new Map([
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getDayOfYear', dayOfYear],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', (date) => date.getUTCMilliseconds()],
]);

/** Whole units of a duration by their CEL names. */
export const DURATION_PARTS: ReadonlyMap<string, (duration: Duration) => number> = new Map([
  ['getHours', ({ milliseconds }) => Math.trunc(milliseconds / 3_600_000)],
  ['getMinutes', ({ milliseconds }) => Math.trunc(milliseconds / 60_000)],
  ['getSeconds', ({ milliseconds }) => Math.trunc(milliseconds / 1000)],
  ['getMilliseconds', ({ milliseconds }) => Math.trunc(milliseconds)],
]);
