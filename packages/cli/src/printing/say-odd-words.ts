import type { JsonValue } from '@permitry/protocol';
import { findOddWords } from '@permitry/protocol/inert-text';
import { paint, sayVisibly } from './say.ts';

/** More warnings of one kind would bury the others. */
const MOST = 20;

/** One warning line for a terminal. `text` is already inert. */
export function beware(text: string): string {
  return `${paint('yellow', 'Beware:')} ${text}`;
}

/** A warning for each word in names and strings, at any depth, that is not what it seems. */
export function sayOddWords(value: JsonValue): string[] {
  const odd = findOddWords(textsOf(value));
  const named = odd.slice(0, MOST).map(({ word, why }) => `${JSON.stringify(word)}: ${why}`);
  const more = odd.length > MOST ? [`${odd.length - MOST} more words are not what they seem`] : [];
  return [...named, ...more].map((text) => beware(sayVisibly(text)));
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, property]) => [name, ...textsOf(property)]);
}
