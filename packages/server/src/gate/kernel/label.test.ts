import { expect, test } from 'vitest';
import { toLabel } from './label.ts';

test('a label may be in any script, and is kept in NFC without surrounding space', () => {
  expect(toLabel(' Zu\u0308rich \u652f\u6255 ')).toBe('Z\u00fcrich \u652f\u6255');
});

test('a label’s length is counted in characters, not in code units', () => {
  expect(toLabel('\u{1f511}'.repeat(100))).toBe('\u{1f511}'.repeat(100));
  expect(toLabel('\u{1f511}'.repeat(101))).toBeUndefined();
});

test.each([
  ['nothing', ''],
  ['only space', ' \u00a0 '],
  ['a line break', 'a\nb'],
  ['a NUL', 'a\u0000b'],
  ['a line separator', 'a\u2028b'],
  ['a zero-width space', 'a\u200bb'],
  ['a right-to-left override', 'a\u202eb'],
  ['an isolate', 'a\u2066b'],
  ['a soft hyphen', 'a\u00adb'],
  ['a Hangul filler', 'a\u3164b'],
  ['a tag character', 'a\u{e0041}b'],
  ['a lone surrogate', 'a\ud800b'],
  ['a no-break space', 'a\u00a0b'],
  ['an em space', 'a\u2003b'],
  ['an ideographic space', 'a\u3000b'],
  ['a struck-out word', 'n\u0336o\u0336'],
  ['a blank Braille pattern', 'a\u2800b'],
])('a label with %s is refused', (_, text) => {
  expect(toLabel(text)).toBeUndefined();
});
