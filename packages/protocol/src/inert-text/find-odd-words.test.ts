import { expect, test } from 'vitest';
import { findOddWords } from './find-odd-words.ts';

test.each([
  ['to pаypal.example', 'pаypal', 'mixes Latin and Cyrillic letters; reads like “paypal”'],
  ['kate@почта.example', 'kate@почта.example', 'an address that mixes Latin and Cyrillic letters'],
  ['pay 1٢3 now', '1٢3', 'mixes digits of 2 systems: reads 123'],
  ['bank.example∕login', '∕', 'U+2215, looks like /'],
  ['for Ame\u0301lie', 'Ame\u0301lie', 'not NFC; reads like “Amélie”'],
  ['do n\u0336o\u0336t pay', 'n\u0336o\u0336t', 'letters drawn over; reads like “not”'],
])('finds the odd word in %j, and what it resembles', (text, word, why) => {
  expect(findOddWords([text])).toEqual([{ word, why }]);
});

test('finds each word once, in the order of the texts', () => {
  const words = findOddWords(['pаypal 1٢3', 'plain', 'pаypal\nаррӏе']).map(({ word }) => word);
  expect(words).toEqual(['pаypal', '1٢3', 'аррӏе']);
});

test('ignores words of one alphabet, and characters that are shown by number elsewhere', () => {
  expect(findOddWords(['Zoë Müller', 'Привет мир', '東京', '١٢٣', 'a\u200bb\tc\u00a0d', 'שלום'])).toEqual([]);
});
