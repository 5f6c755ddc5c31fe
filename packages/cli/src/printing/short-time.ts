/** An instant as tables show it: to the minute, in UTC; a dash for never. */
export function shortTime(instant: string | null): string {
  return instant === null ? '-' : instant.slice(0, 16).replace('T', ' ');
}
