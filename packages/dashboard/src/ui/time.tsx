import { useEffect, useRef } from 'react';
import { announce } from './announce.tsx';
import { useNow } from './now.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEP = 10 * SECOND;

const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const dayAndMinute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** `20 Nov 2026, 11:30:00`, in the reader's own time zone. */
function formatInstant(at: string): string {
  return absolute.format(new Date(at));
}

export function DateTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {dayAndMinute.format(new Date(at))}
    </time>
  );
}

/** `3 minutes ago`; after a week, the date. The tooltip shows the exact instant. */
export function RelativeTime({ at }: { at: string }) {
  const distance = Date.parse(at) - useNow(STEP);
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {Math.abs(distance) > 7 * DAY ? dayAndMinute.format(new Date(at)) : relativeTo(distance)}
    </time>
  );
}

function relativeTo(distance: number): string {
  const size = Math.abs(distance);
  // The clock is rounded down to whole steps, so an instant up to one step ahead has just happened.
  if (size < MINUTE) return distance > STEP ? 'in a moment' : 'just now';
  if (size < HOUR) return relative.format(Math.trunc(distance / MINUTE), 'minute');
  if (size < DAY) return relative.format(Math.trunc(distance / HOUR), 'hour');
  return relative.format(Math.trunc(distance / DAY), 'day');
}

/** Formats milliseconds: `2 d 4 h`, `3 h 05 min`, `12 min`, `4:09`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Screen readers announce these remaining times. */
const MARKS = [5 * MINUTE, MINUTE, 15 * SECOND] as const;
const WORDS: Readonly<Record<number, string>> = {
  [5 * MINUTE]: 'Five minutes left to decide.',
  [MINUTE]: 'One minute left to decide.',
  [15 * SECOND]: 'Fifteen seconds left to decide.',
};

/**
 * A countdown to an instant. With `announces`, screen readers politely announce the last five minutes, the last minute
 * and the end. Use that for the main subject of a page, never in a list. `onEnd` is called once.
 */
export function Countdown({
  until,
  announces = false,
  onEnd,
  ended = 'expired',
}: {
  until: string;
  announces?: boolean;
  onEnd?: () => void;
  ended?: string;
}) {
  const left = Date.parse(until) - useNow();
  const before = useRef(left);
  const end = useRef(onEnd);
  end.current = onEnd;

  useEffect(() => {
    const was = before.current;
    before.current = left;
    if (was > 0 && left <= 0) {
      end.current?.();
      if (announces) announce('The time to decide is over.');
      return;
    }
    const mark = MARKS.find((mark) => was > mark && left <= mark);
    if (announces && mark !== undefined) announce(WORDS[mark] ?? '');
  }, [left, announces]);

  const near = left <= MINUTE ? 'now' : left <= 5 * MINUTE ? 'soon' : undefined;
  return (
    <time
      className="countdown"
      dateTime={until}
      title={formatInstant(until)}
      data-near={left > 0 ? near : undefined}
    >
      {left > 0 ? formatDuration(left) : ended}
    </time>
  );
}
