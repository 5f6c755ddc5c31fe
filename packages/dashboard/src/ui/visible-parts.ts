/** Finds the characters of a text that nobody sees, or that change how the rest is seen. */

export type Part = { kind: 'text'; text: string } | { kind: 'unseen'; label: string; name: string };

/** Format characters (bidirectional marks, zero-width, tags), controls, fillers, separators, lone surrogates, private use. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]|[\p{Zs}--[ ]]|\p{Variation_Selector}/v;

const NAMES: Readonly<Record<string, string>> = {
  '0009': 'tab',
  '000A': 'line break',
  '000D': 'carriage return',
  '00A0': 'no-break space',
  '00AD': 'soft hyphen',
  '200B': 'zero-width space',
  '200C': 'zero-width non-joiner',
  '200D': 'zero-width joiner',
  '200E': 'left-to-right mark',
  '200F': 'right-to-left mark',
  '202A': 'left-to-right embedding',
  '202B': 'right-to-left embedding',
  '202C': 'end of direction',
  '202D': 'left-to-right override',
  '202E': 'right-to-left override',
  '2060': 'word joiner',
  '2066': 'left-to-right isolate',
  '2067': 'right-to-left isolate',
  '2068': 'first strong isolate',
  '2069': 'end of isolate',
  FEFF: 'byte order mark',
};

/** The text in pieces: what is seen as it is, and what is not with a label such as `U+202E`. */
export function visibleParts(text: string): Part[] {
  const parts: Part[] = [];
  let plain = '';
  for (const character of text) {
    if (!UNSEEN.test(character)) {
      plain += character;
      continue;
    }
    if (plain !== '') parts.push({ kind: 'text', text: plain });
    plain = '';
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    parts.push({ kind: 'unseen', label: `U+${code}`, name: NAMES[code] ?? 'a character nobody sees' });
  }
  if (plain !== '') parts.push({ kind: 'text', text: plain });
  return parts;
}
