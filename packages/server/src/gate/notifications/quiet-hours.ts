import { addSeconds, type Instant } from '../kernel/instant.ts';

/** When somebody is not to be disturbed: from one time of their day to another, over midnight or not. */
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

/** When the quiet hours that the instant lies in are over; null when it lies in none. */
export function endOfQuietHours({ from, to, timeZone }: QuietHours, now: Instant): Instant | null {
  const [begin, end, at] = [minutesOf(from), minutesOf(to), minutesOf(timeOfDay(now, timeZone))];
  const length = (end - begin + MINUTES_A_DAY) % MINUTES_A_DAY;
  const since = (at - begin + MINUTES_A_DAY) % MINUTES_A_DAY;
  if (since >= length) return null;
  const minute = addSeconds(now, -new Date(now).getUTCSeconds());
  // On the two days on which clocks change, an hour early or late.
  return addSeconds(minute, (length - since) * 60);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** `HH:MM` there. */
function timeOfDay(instant: Instant, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(instant));
}
