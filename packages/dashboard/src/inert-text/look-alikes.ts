/** Letters that pass for others: words of two alphabets, of one that looks like Latin, or of stylised letters. */

/** Scripts told apart. A letter of none of these is of a script of its own. */
const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Tamil',
  'Thai',
  'Georgian',
  'Cherokee',
  'Coptic',
  'Hangul',
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Lisu',
] as const;
type Script = (typeof SCRIPTS)[number];

// The extensions of a character: one that several scripts share counts for each (Unicode TR39 §5.1).
const IN_SCRIPT = new Map<Script, RegExp>(
  SCRIPTS.map((script) => [script, new RegExp(`\\p{Script_Extensions=${script}}`, 'u')]),
);

const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** Written together in one word by those who write these languages (TR39 §5.2, "highly restrictive"). */
const TOGETHER: readonly ReadonlySet<Script>[] = [
  new Set<Script>(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set<Script>(['Latin', 'Han', 'Bopomofo']),
  new Set<Script>(['Latin', 'Han', 'Hangul']),
];

/** Letters of other alphabets that are drawn like a Latin one. */
const LIKE_LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Cyrillic
    а: 'a',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    і: 'i',
    ј: 'j',
    ӏ: 'l',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    ѕ: 's',
    у: 'y',
    ѵ: 'v',
    ԝ: 'w',
    х: 'x',
    А: 'A',
    В: 'B',
    С: 'C',
    Е: 'E',
    Н: 'H',
    І: 'I',
    Ј: 'J',
    К: 'K',
    М: 'M',
    О: 'O',
    Р: 'P',
    Ѕ: 'S',
    Т: 'T',
    Х: 'X',
    У: 'Y',
    Ӏ: 'I',
    // Greek
    ο: 'o',
    α: 'a',
    ν: 'v',
    ρ: 'p',
    υ: 'u',
    ι: 'i',
    κ: 'k',
    ϲ: 'c',
    ϳ: 'j',
    Α: 'A',
    Β: 'B',
    Ε: 'E',
    Ζ: 'Z',
    Η: 'H',
    Ι: 'I',
    Κ: 'K',
    Μ: 'M',
    Ν: 'N',
    Ο: 'O',
    Ρ: 'P',
    Τ: 'T',
    Υ: 'Y',
    Χ: 'X',
    // Armenian, Cherokee
    օ: 'o',
    ո: 'n',
    ս: 'u',
    հ: 'h',
    ց: 'g',
    ԍ: 'G',
    Ꭺ: 'A',
    Ꭼ: 'E',
    Ꮃ: 'W',
    Ꭲ: 'i',
    Ꮯ: 'C',
    Ꮲ: 'P',
    Ꮪ: 'S',
  }),
);

/** Signs that pass for a full stop, slash, colon or at in an address, or for a digit's neighbour in a number. */
const LIKE_SIGNS: ReadonlyMap<string, string> = new Map([
  ['\u2024', '.'],
  ['\u3002', '.'],
  ['\uff0e', '.'],
  ['\uff61', '.'],
  ['\ufe52', '.'],
  ['\u2044', '/'],
  ['\u2215', '/'],
  ['\u29f8', '/'],
  ['\uff0f', '/'],
  ['\u2571', '/'],
  ['\uff3c', '\\'],
  ['\u2216', '\\'],
  ['\u2236', ':'],
  ['\uff1a', ':'],
  ['\ua789', ':'],
  ['\u0589', ':'],
  ['\u01c3', '!'],
  ['\uff20', '@'],
  ['\ufe6b', '@'],
  ['\uff1f', '?'],
  ['\uff03', '#'],
  ['\uff1d', '='],
  ['\u2010', '-'],
  ['\u2011', '-'],
  ['\u2212', '-'],
  ['\uff0d', '-'],
  ['\u201a', ','],
  ['\uff0c', ','],
  ['\u066b', ','],
  ['\uff3f', '_'],
  ['\uff0a', '*'],
  ['\uff05', '%'],
  ['\u2217', '*'],
  ['\uff06', '&'],
  ['\uff1b', ';'],
  ['\u037e', ';'],
  ['\uff02', '"'],
  ['\uff07', "'"],
  ['\uff1c', '<'],
  ['\uff1e', '>'],
  ['\uff04', '$'],
]);

/** The plain sign that this one passes for. */
export function signLike(char: string): string | undefined {
  return LIKE_SIGNS.get(char);
}

/**
 * Why a word may not be what it seems, in words; undefined for one that is plain.
 *
 * @example suspicionOf('pаypal') // 'mixes Latin and Cyrillic letters; reads like “paypal”'
 */
export function suspicionOf(word: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what nothing is found in, and most text is
  if (/^[\u0000-\u007f]*$/.test(word)) return undefined;
  const like = latinReading(word);
  const scripts = scriptsOf(word);
  if (scripts.length > 1 && !belongTogether(scripts)) {
    return `mixes ${listed(scripts)} letters${like === undefined ? '' : `; reads like “${like}”`}`;
  }
  const [script] = scripts;
  if (script !== undefined && script !== 'Latin' && like !== undefined && [...word].length > 2) {
    return `${script} letters that look like Latin “${like}”`;
  }
  const plain = stylisedReading(word);
  return plain === undefined ? undefined : `stylised letters; reads like “${plain}”`;
}

function scriptsOf(word: string): string[] {
  const letters = [...word].filter((char) => !SHARED.test(char));
  const sets = letters.map((char) => SCRIPTS.filter((script) => IN_SCRIPT.get(script)?.test(char)));
  // One script that fits every letter is the word's, also where letters belong to several.
  const fitsAll = SCRIPTS.find((script) => sets.length > 0 && sets.every((set) => set.includes(script)));
  if (fitsAll) return [fitsAll];
  return [...new Set(sets.map((set) => set[0] ?? 'other'))];
}

function belongTogether(scripts: readonly string[]): boolean {
  return TOGETHER.some((set) => scripts.every((script) => set.has(script as Script)));
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The word as it would be read in Latin letters, when all its letters can be. */
function latinReading(word: string): string | undefined {
  let reading = '';
  for (const char of word) {
    const like =
      LIKE_LATIN.get(char) ?? (/[\p{Script=Latin}\p{Script=Common}]/u.test(char) ? char : undefined);
    if (like === undefined) return undefined;
    reading += like;
  }
  return reading;
}

/** Letters and digits that stand for plain ones in another style: mathematical, full-width, circled. */
function stylisedReading(word: string): string | undefined {
  const stylised = [...word].some((char) => {
    const plain = char.normalize('NFKC');
    return (
      plain !== char &&
      /^[0-9A-Za-z]+$/.test(plain) &&
      /[\p{L}\p{Nd}\p{So}]/u.test(char) &&
      !'ªº™℠'.includes(char)
    );
  });
  return stylised ? word.normalize('NFKC') : undefined;
}
