import type { Instant } from '../gate/kernel/instant.ts';

/** For people who have not chosen a time zone, and for chats, whose readers may be in different ones. */
export const UTC = 'UTC';

/**
 * @param timeZone IANA name. The text names the zone.
 * @example toTimeText('2026-11-20T05:37:00.000Z', 'Europe/Vienna') // '20 Nov 2026, 06:37 CET'
 */
export function toTimeText(instant: Instant, timeZone: string = UTC): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(new Date(instant));
}
