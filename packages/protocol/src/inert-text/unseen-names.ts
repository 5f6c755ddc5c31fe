/** Short names of characters that are invisible, or that look like a plain space and are not one. */

/** Keyed by code point in hexadecimal. The names are Unicode's abbreviations, so that people can look them up. */
const NAMES: Readonly<Record<string, string>> = {
  '0': 'NUL',
  '7': 'BEL',
  '8': 'BS',
  '9': 'TAB',
  a: 'LF',
  b: 'VT',
  c: 'FF',
  d: 'CR',
  '1b': 'ESC',
  '7f': 'DEL',
  '85': 'NEL',
  a0: 'no-break space',
  ad: 'soft hyphen',
  '34f': 'CGJ',
  '61c': 'ALM',
  '115f': 'Hangul filler',
  '1160': 'Hangul filler',
  '1680': 'Ogham space',
  '17b4': 'Khmer inherent vowel',
  '17b5': 'Khmer inherent vowel',
  '180e': 'MVS',
  '2000': 'en quad',
  '2001': 'em quad',
  '2002': 'en space',
  '2003': 'em space',
  '2004': 'third-em space',
  '2005': 'quarter-em space',
  '2006': 'sixth-em space',
  '2007': 'figure space',
  '2008': 'punctuation space',
  '2009': 'thin space',
  '200a': 'hair space',
  '200b': 'ZWSP',
  '200c': 'ZWNJ',
  '200d': 'ZWJ',
  '200e': 'LRM',
  '200f': 'RLM',
  '2028': 'line separator',
  '2029': 'paragraph separator',
  '202a': 'LRE',
  '202b': 'RLE',
  '202c': 'PDF',
  '202d': 'LRO',
  '202e': 'RLO',
  '202f': 'narrow no-break space',
  '205f': 'math space',
  '2060': 'word joiner',
  '2061': 'function application',
  '2062': 'invisible times',
  '2063': 'invisible separator',
  '2064': 'invisible plus',
  '2066': 'LRI',
  '2067': 'RLI',
  '2068': 'FSI',
  '2069': 'PDI',
  '206a': 'ISS',
  '206b': 'ASS',
  '206c': 'IAFS',
  '206d': 'AAFS',
  '206e': 'NADS',
  '206f': 'NODS',
  '2800': 'Braille blank',
  '3000': 'ideographic space',
  '3164': 'Hangul filler',
  feff: 'BOM',
  ffa0: 'Hangul filler',
  fff9: 'annotation anchor',
  fffa: 'annotation separator',
  fffb: 'annotation terminator',
  fffc: 'object replacement',
};

const TAG_FIRST = 0xe0020;
const TAG_LAST = 0xe007e;

/** The visible character that a tag character represents, e.g. `A` for U+E0041. Undefined for all others. */
export function tagLetter(char: string): string | undefined {
  const point = char.codePointAt(0) ?? 0;
  return point >= TAG_FIRST && point <= TAG_LAST ? String.fromCodePoint(point - 0xe0000) : undefined;
}

/** For example `U+202E`, with at least four digits. */
export function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The label of an invisible character. */
export function unseenName(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  const known = NAMES[point.toString(16)];
  if (known !== undefined) return known;
  const letter = tagLetter(char);
  if (letter !== undefined) return `tag ${letter === ' ' ? 'space' : letter}`;
  if (point >= 0xfe00 && point <= 0xfe0f) return `VS${point - 0xfe00 + 1}`;
  if (point >= 0xe0100 && point <= 0xe01ef) return `VS${point - 0xe0100 + 17}`;
  if (/\p{Cc}/u.test(char)) return 'control';
  if (/\p{Co}/u.test(char)) return 'private use';
  if (/\p{Cn}/u.test(char)) return 'unassigned';
  if (/\p{Cs}/u.test(char)) return 'half a character';
  if (/\p{Z}/u.test(char)) return 'space';
  if (/\p{M}/u.test(char)) return 'combining mark';
  return 'invisible';
}
