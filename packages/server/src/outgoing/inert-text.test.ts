import { expect, test } from 'vitest';
import { toInertLine } from './inert-text.ts';

const ODD_SPACES =
  '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000';

test.each([...ODD_SPACES])(
  'a space other than the one on the keyboard is shown by its number: %j',
  (space) => {
    const number = (space.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    expect(toInertLine(`pay${space}100`)).toBe(`pay⟨U+${number}⟩100`);
  },
);

test.each([
  ['pay\u202etxt', 'pay⟨U+202E⟩txt'],
  ['a\u001b[2Jb', 'a⟨U+001B⟩[2Jb'],
  ['n\u0336o', 'n⟨U+0336⟩o'],
  ['a\nb', 'a⟨U+000A⟩b'],
  ['https://evil.example', 'https:⟨//⟩evil.example'],
  ['Zoë Müller 東京', 'Zoë Müller 東京'],
])('%j appears in an email as %s', (text, line) => {
  expect(toInertLine(text)).toBe(line);
});
