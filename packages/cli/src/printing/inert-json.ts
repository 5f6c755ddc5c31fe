import { ODD } from './say-visibly.ts';

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
