/** Forms output for people: visible characters, counts, short forms, colour. */
import { styleText } from 'node:util';
import { ODD_CHARACTERS } from '@permitry/protocol';

const ODD = new RegExp(ODD_CHARACTERS, 'gv');
/** No language stacks more marks than this on one letter. More marks would run over the lines above and below. */
const STACKED_MARKS = /(?<=\p{M}{3})\p{M}/gu;

/**
 * An untrusted text on a terminal. Characters that are invisible, or would control the terminal, appear as their
 * numbers.
 */
export function sayVisibly(text: string): string {
  return text.replace(ODD, byNumber).replace(STACKED_MARKS, byNumber);
}

function byNumber(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/**
 * JSON whose every character is visible. Characters that would control a terminal become JSON's own escapes, so a
 * program reads the same text.
 *
 * @example toInertJson('\u202e') === '"\\u202e"'
 */
export function toInertJson(value: unknown, indent?: number): string {
  return withoutOdd(JSON.stringify(value, null, indent));
}

/** As `toInertJson`, for JSON that is already text. */
export function withoutOdd(json: string): string {
  // A line end belongs to the layout: inside a string it is already escaped.
  return json.replace(ODD, (character) => (character === '\n' ? character : escaped(character)));
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * A count in words for people.
 *
 * @example counted(1, 'receipt') === '1 receipt'
 * @example counted(1200, 'unused permit') === '1,200 unused permits'
 */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** An instant as tables show it, to the minute. On a terminal in its locale and zone, otherwise in UTC. A dash for never. */
export function shortTime(instant: string | null): string {
  if (instant === null) return '-';
  if (!process.stdout.isTTY) return instant.slice(0, 16).replace('T', ' ');
  return local(instant, { dateStyle: 'medium', timeStyle: 'short' });
}

/** An instant as sentences show it. On a terminal in its locale and with its zone, otherwise exactly as given. */
export function fullTime(instant: string, { isTTY }: { isTTY?: boolean } = process.stdout): string {
  if (!isTTY) return instant;
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
  return local(instant, { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' });
}

/** The time of day, to the second. On a terminal in its locale and zone, otherwise in UTC. */
export function timeOfDay(instant: string): string {
  return process.stdout.isTTY ? local(instant, { timeStyle: 'medium' }) : instant.slice(11, 19);
}

/** Some locales use spaces and marks that a terminal does not show. `sayVisibly` would replace them by their numbers. */
function local(instant: string, options: Intl.DateTimeFormatOptions): string {
  const text = new Intl.DateTimeFormat(undefined, options).format(new Date(instant));
  return text.replace(/\p{Zs}/gu, ' ').replace(/\p{Cf}/gu, '');
}

/**
 * A duration in words.
 *
 * @example duration(300) === '5 minutes'
 */
export function duration(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Time until an instant, or since it, in the largest unit that fits: `12m`, `3h`, `2d`. Below a second: `now`. */
export function shortAge(instant: string, now = Date.now()): string {
  const seconds = Math.floor(Math.abs(Date.parse(instant) - now) / 1000);
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

export type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours the text only if stdout is a terminal and NO_COLOR is not set. */
export function paint(style: Paint, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** As `paint`, for stderr. */
export function paintError(style: Paint, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}
