import { expect, test } from 'vitest';
import { ODD_CHARACTERS } from './odd-characters.ts';

const ODD = new RegExp(`^${ODD_CHARACTERS}$`, 'v');

test.each<readonly [string, string]>([
  ['a control', '\u001b'],
  ['a zero width space', '\u200b'],
  ['a direction', '\u202e'],
  ['a line separator', '\u2028'],
  ['a filler', '\u3164'],
  ['a blank of Braille', '\u2800'],
  ...[
    ...'\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
  ].map((space) => ['an odd space', space] as const),
  ['a stroke over a letter', '\u0336'],
  ['a slash over a letter', '\u0338'],
  ['a circle and bar', '\u20e5'],
])('%s is odd: %j', (_what, character) => {
  expect(ODD.test(character)).toBe(true);
});

test.each(['a', ' ', 'é', '\u0301', '東', '😀', '-', '\u0e48'])('%j is not odd', (character) => {
  expect(ODD.test(character)).toBe(false);
});
