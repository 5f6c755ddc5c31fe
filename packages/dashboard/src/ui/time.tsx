import { useEffect, useRef } from 'react';
import { announce } from './announce.tsx';
import { formatDate, formatDistance, formatDuration, formatInstant } from './format.ts';
import { useNow } from './now.ts';
import * as words from './ui.words.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const WEEK = 7 * 24 * 60 * MINUTE;
const STEP = 10 * SECOND;

export function DateTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {formatDate(at)}
    </time>
  );
}

/** `3 minutes ago`; after a week, the date. The tooltip shows the exact instant. */
export function RelativeTime({ at }: { at: string }) {
  const distance = Date.parse(at) - useNow(STEP);
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {Math.abs(distance) > WEEK ? formatDate(at) : sayDistance(distance)}
    </time>
  );
}

function sayDistance(ms: number): string {
  if (Math.abs(ms) >= MINUTE) return formatDistance(ms);
  // The clock is rounded down to whole steps, so an instant up to one step ahead has just happened.
  return ms > STEP ? words.inAMoment : words.justNow;
}

/** Screen readers announce these remaining times. */
const MARKS: Readonly<Record<number, string>> = {
  [5 * MINUTE]: words.fiveMinutesLeft,
  [MINUTE]: words.oneMinuteLeft,
  [15 * SECOND]: words.fifteenSecondsLeft,
};

/**
 * A countdown to an instant. With `announces`, screen readers politely announce the last five minutes, the last minute
 * and the end. Use that for the main subject of a page, never in a list. `onEnd` is called once.
 */
export function Countdown({
  until,
  announces = false,
  onEnd,
  ended = words.expired,
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
      if (announces) announce(words.timeIsOver);
      return;
    }
    const mark = Object.entries(MARKS).find(([at]) => was > Number(at) && left <= Number(at));
    if (announces && mark) announce(mark[1]);
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
