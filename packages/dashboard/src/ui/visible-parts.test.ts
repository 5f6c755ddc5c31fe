import { describe, expect, it } from 'vitest';
import { visibleParts } from './visible-parts.ts';

const seen = (text: string) =>
  visibleParts(text)
    .map((part) => (part.kind === 'text' ? part.text : `⟨${part.label}⟩`))
    .join('');

describe('text of others', () => {
  it.each(['Ann Example', 'Zoë Müller', 'ann@example.org', '田中 太郎', 'שלום', 'a b', ''])(
    'stays as it is where everything in it is seen: %j',
    (text) => {
      expect(seen(text)).toBe(text);
    },
  );

  it.each([
    ['a right-to-left override', 'ann\u202egro.elpmaxe', 'ann⟨U+202E⟩gro.elpmaxe'],
    ['a zero-width space', 'ad\u200bmin', 'ad⟨U+200B⟩min'],
    ['a line break and a tab', 'a\n\tb', 'a⟨U+000A⟩⟨U+0009⟩b'],
    ['a no-break space', 'a\u00a0b', 'a⟨U+00A0⟩b'],
    ['a filler', '\u3164', '⟨U+3164⟩'],
    ['a character of tags', '\u{e0041}', '⟨U+E0041⟩'],
    ['half a pair', '\ud800', '⟨U+D800⟩'],
  ])('shows %s by its name', (_name, text, expected) => {
    expect(seen(text)).toBe(expected);
  });
});
