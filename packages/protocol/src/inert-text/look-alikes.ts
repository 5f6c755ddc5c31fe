/**
 * Finds words whose letters pass for others: words that mix alphabets, that look like Latin, or that have stylised
 * letters.
 */
import { LOOK_ALIKE_TABLE } from './look-alike-table.ts';

/** The scripts that this module distinguishes. All letters outside them count as one further script. */
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

// Uses Script_Extensions: a character that several scripts share counts for each of them (Unicode TR39 §5.1).
const IN_SCRIPT = new Map<Script, RegExp>(
  SCRIPTS.map((script) => [script, new RegExp(`\\p{Script_Extensions=${script}}`, 'u')]),
);

const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** Scripts that people who write these languages combine in one word (TR39 §5.2, "highly restrictive"). */
const TOGETHER: readonly ReadonlySet<Script>[] = [
  new Set<Script>(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set<Script>(['Latin', 'Han', 'Bopomofo']),
  new Set<Script>(['Latin', 'Han', 'Hangul']),
];

/** Letters that look like a Latin one: those of UTS #39, and a few that it omits or gives in another case. */
const LIKE_LATIN: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LOOK_ALIKE_TABLE).flatMap(([like, points]) =>
    points.split(' ').map((point) => [String.fromCodePoint(Number.parseInt(point, 16)), like] as const),
  ),
  ['\u04cf', 'l'],
  ['\u0406', 'I'],
  ['\u04c0', 'I'],
  ['\u03ba', 'k'],
  ['\u0399', 'I'],
  ['\u050d', 'G'],
  ['\u13a2', 'i'],
]);

/**
 * The dotless i is a common letter of a language that many people write, so a word with it is not an attempt to
 * deceive.
 */
const DOTLESS_I = '\u0131';

/** Signs that pass for a full stop, slash, colon or at sign in an address, or for a sign inside a number. */
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
 * Explains why a word may not be what it seems. Undefined for a plain word.
 *
 * @example suspicionOf('pаypal') // 'mixes Latin and Cyrillic letters; reads like “paypal”'
 */
export function suspicionOf(word: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII has no look-alikes, and most text is ASCII
  if (/^[\u0000-\u007f]*$/.test(word)) return undefined;
  const digits = mixedDigits(word);
  if (digits !== undefined) return digits;
  const like = latinReading(word);
  const scripts = scriptsOf(word);
  if (scripts.length > 1 && !belongTogether(scripts)) {
    return `mixes ${listed(scripts)} letters${like === undefined ? '' : `; reads like “${like}”`}`;
  }
  const [script] = scripts;
  if (script !== undefined && script !== 'Latin' && like !== undefined && [...word].length > 2) {
    return `${script} letters that look like Latin “${like}”`;
  }
  if (script === 'Latin' && like !== undefined && like !== word.replaceAll(DOTLESS_I, 'i'))
    return `unusual Latin letters; reads like “${like}”`;
  const plain = stylisedReading(word);
  return plain === undefined ? undefined : `stylised letters; reads like “${plain}”`;
}

/**
 * Digits of two writing systems in one word. A reader of one system takes the other's for letters, or for other digits.
 */
function mixedDigits(word: string): string | undefined {
  const zeros = new Set<number>();
  let reading = '';
  for (const char of word) {
    if (!/\p{Nd}/u.test(char)) {
      reading += char;
      continue;
    }
    const zero = zeroOf(char);
    zeros.add(zero);
    reading += (char.codePointAt(0) ?? 0) - zero;
  }
  return zeros.size < 2 ? undefined : `mixes digits of ${zeros.size} systems: reads ${reading}`;
}

/** Unicode has the digits of each system as ten characters in a row, starting with zero. */
function zeroOf(digit: string): number {
  const point = digit.codePointAt(0) ?? 0;
  let first = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return point - ((point - first) % 10);
}

/**
 * Explains why an address may not be the one it seems to be: its parts are in alphabets that no language combines. Each
 * part may be plain in itself.
 *
 * @example suspicionOfAddress('kate@почта.example') // 'an address that mixes Latin and Cyrillic letters'
 */
export function suspicionOfAddress(address: string): string | undefined {
  const scripts = scriptsOf(address);
  return scripts.length < 2 || belongTogether(scripts)
    ? undefined
    : `an address that mixes ${listed(scripts)} letters`;
}

function scriptsOf(word: string): string[] {
  const letters = [...word].filter((char) => !SHARED.test(char));
  const sets = letters.map((char) => SCRIPTS.filter((script) => IN_SCRIPT.get(script)?.test(char)));
  // If one script fits every letter, it is the word's script, even when some letters belong to several scripts.
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

/**
 * The word as people would read it in Latin letters. Undefined if one of its characters does not look like a Latin
 * letter.
 */
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

/** Letters and digits that represent plain ones in another style: mathematical, full-width, circled. */
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
