/**
 * Numbers, dates and durations, in the reader's region and time zone. The words in them are in the language of the
 * pages, so a German reader gets `24 Nov 2026, 14:30` and `1.234`, and one in the USA `Nov 24, 2026, 2:30 PM`.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The language of the pages with the reader's region, e.g. `en-GB`, `en-DE`. */
const locale = localeOf(navigator.languages[0]);

const counts = new Intl.NumberFormat(locale);
const exactly = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 });
const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const instants = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const distances = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
const parts = new Intl.ListFormat(locale, { type: 'unit', style: 'narrow' });

/** @example localeOf('de-DE') // 'en-DE' */
export function localeOf(preferred = 'en-GB'): string {
  try {
    const { language, region } = new Intl.Locale(preferred).maximize();
    if (language === 'en') return preferred;
    return region === undefined ? 'en-GB' : `en-${region}`;
  } catch {
    // Some browsers name a locale that Intl refuses: Chromium has `en-US@posix` where the machine has none.
    return 'en-GB';
  }
}

/** @example formatCount(1234) // '1,234' */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** With every digit. @example formatNumber(1234567.125) // '1,234,567.125' */
export function formatNumber(number: number): string {
  return exactly.format(number);
}

/** For an axis. @example formatCompact(12_000) // '12K' */
export function formatCompact(number: number): string {
  return number.toLocaleString(locale, { notation: 'compact', maximumFractionDigits: 1 });
}

/** To the minute. @param at An ISO 8601 instant. @example '24 Nov 2026, 14:30' */
export function formatDate(at: string): string {
  return dates.format(new Date(at));
}

/** To the second. @param at An ISO 8601 instant. @example '24 Nov 2026, 14:30:05' */
export function formatInstant(at: string): string {
  return instants.format(new Date(at));
}

/** Days of statistics are days in UTC. @param day `2026-11-24`. @example '24 Nov' */
export function formatDay(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}

/**
 * How far an instant is away, in its largest whole unit of at least one minute.
 *
 * @param ms Negative: in the past.
 * @example formatDistance(-3 * 60_000) // '3 minutes ago'
 */
export function formatDistance(ms: number): string {
  const size = Math.abs(ms);
  if (size < HOUR) return distances.format(Math.trunc(ms / MINUTE), 'minute');
  if (size < DAY) return distances.format(Math.trunc(ms / HOUR), 'hour');
  return distances.format(Math.trunc(ms / DAY), 'day');
}

/** For labels and tables: `2 days 4 hrs`, `3 hrs 5 mins`, `12 mins`, and `4:09` below ten minutes. */
export function formatDuration(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE));
  if (minutes < 10) {
    const seconds = Math.max(0, Math.floor(ms / SECOND)) % 60;
    return `${minutes}:${String(seconds).padStart(2, '0')}`;
  }
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return unit(minutes, 'minute', 'short');
  if (hours < 24) return parts.format([unit(hours, 'hour', 'short'), unit(minutes % 60, 'minute', 'short')]);
  return parts.format([unit(Math.floor(hours / 24), 'day', 'short'), unit(hours % 24, 'hour', 'short')]);
}

/**
 * For sentences, in the largest unit of which it is a whole number: `5 minutes`, `1 hour`, `90 seconds`.
 *
 * @param seconds A whole number, e.g. the lifetime of a permit.
 */
export function formatLifetime(seconds: number): string {
  const units = [
    [DAY, 'day'],
    [HOUR, 'hour'],
    [MINUTE, 'minute'],
  ] as const;
  const ms = seconds * SECOND;
  const [size, name] = units.find(([size]) => ms >= size && ms % size === 0) ?? [SECOND, 'second'];
  return unit(ms / size, name, 'long');
}

/** @example formatBytes(204_800) // '200 kB' */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return unit(bytes, 'byte', 'long');
  const kilobytes = bytes / 1024;
  return unit(kilobytes < 10 ? Number(kilobytes.toFixed(1)) : Math.round(kilobytes), 'kilobyte', 'short');
}

function unit(count: number, unit: string, unitDisplay: 'short' | 'long'): string {
  return count.toLocaleString(locale, { style: 'unit', unit, unitDisplay });
}
