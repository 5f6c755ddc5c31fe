import { addSeconds, type Instant } from '../kernel/instant.ts';

/** When a person must not be disturbed: from one time of their day to another, possibly across midnight. */
export interface QuietHours {
  /** `HH:MM`, 24 hours. */
  from: string;
  to: string;
  /** IANA name, e.g. `Europe/Vienna`. */
  timeZone: string;
}

const MINUTES_A_DAY = 24 * 60;

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The end of the quiet hours that contain the instant. Null when it is outside quiet hours. */
export function endOfQuietHours({ from, to, timeZone }: QuietHours, now: Instant): Instant | null {
  const [begin, end, at] = [minutesOf(from), minutesOf(to), minutesOf(timeOfDay(now, timeZone))];
  const length = (end - begin + MINUTES_A_DAY) % MINUTES_A_DAY;
  const since = (at - begin + MINUTES_A_DAY) % MINUTES_A_DAY;
  if (since >= length) return null;
  const minute = addSeconds(now, -new Date(now).getUTCSeconds());
  // The result is off by an hour on the two days on which clocks change.
  return addSeconds(minute, (length - since) * 60);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** The time as `HH:MM` in that time zone. */
function timeOfDay(instant: Instant, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(instant));
}
