/** How things are said to people: visibly, counted, in short, in colour. */
import { styleText } from 'node:util';
import { ODD_CHARACTERS } from '@permitry/protocol';

const ODD = new RegExp(ODD_CHARACTERS, 'gv');
/** More marks on one letter than any language writes would run over the lines above and below. */
const STACKED_MARKS = /(?<=\p{M}{3})\p{M}/gu;

/** A text of somebody unknown on a terminal: what is invisible, or would steer the terminal, stands there by its number. */
export function sayVisibly(text: string): string {
  return text.replace(ODD, byNumber).replace(STACKED_MARKS, byNumber);
}

function byNumber(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/**
 * JSON whose every character can be seen: what would steer a terminal stands there as an escape of JSON itself, so that a
 * program reads the same text.
 *
 * @example toInertJson('\u202e') === '"\\u202e"'
 */
export function toInertJson(value: unknown, indent?: number): string {
  return withoutOdd(JSON.stringify(value, null, indent));
}

/** The same for JSON that is a text already. */
export function withoutOdd(json: string): string {
  // A line end is of the layout: in a string it is an escape already.
  return json.replace(ODD, (character) => (character === '\n' ? character : escaped(character)));
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * How many there are, in words for people.
 *
 * @example counted(1, 'receipt') === '1 receipt'
 * @example counted(1200, 'unused permit') === '1,200 unused permits'
 */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** An instant as tables show it: to the minute, in UTC; a dash for never. */
export function shortTime(instant: string | null): string {
  return instant === null ? '-' : instant.slice(0, 16).replace('T', ' ');
}

/** How long until an instant, or since it, in the largest unit that says it: `12m`, `3h`, `2d`; `now` below a second. */
export function shortAge(instant: string, now = Date.now()): string {
  const seconds = Math.floor(Math.abs(Date.parse(instant) - now) / 1000);
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

export type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Coloured only where stdout is a terminal and NO_COLOR does not object. */
export function paint(style: Paint, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** The same for stderr. */
export function paintError(style: Paint, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}
