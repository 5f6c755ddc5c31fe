/**
 * Turns any text into segments that can be shown without deceiving anyone. Invisible characters get a label.
 * Look-alikes are pointed out. Right-to-left text is set apart, so that it moves nothing beside it. Pure: text of
 * foreign origin never becomes markup.
 */
import { ODD_CHARACTERS } from '../odd-characters.ts';
import { signLike, suspicionOf, suspicionOfAddress } from './look-alikes.ts';
import { codeOf, tagLetter, unseenName } from './unseen-names.ts';

export type Segment =
  /** Shown as it is. */
  | { kind: 'plain'; text: string }
  /** Written from right to left; shown alone in its own direction. */
  | { kind: 'rtl'; text: string }
  /** A line break that was in the text. */
  | { kind: 'break' }
  /** Invisible: the label is shown instead. `chars`: how many characters the label replaces. */
  | { kind: 'unseen'; label: string; explained: string; chars: number }
  /** Visible, but may be mistaken for something else. */
  | { kind: 'suspect'; text: string; why: string }
  /** What is odd about the whole text. Represents no character of it. */
  | { kind: 'note'; label: string; explained: string };

// Characters of scripts that are written from right to left. Their digits are left out, because those are written from
// left to right.
const RTL =
  '[\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}]--\\p{Nd}';
// Excludes invisible characters, because Unicode counts some of them as letters or marks.
const LETTER = `[[\\p{L}\\p{N}]--${ODD_CHARACTERS}]`;
const MARK = `[\\p{M}--${ODD_CHARACTERS}]`;
/** Excludes right-to-left letters, so that they are set apart. */
const IN_ADDRESS = `[${LETTER}--[${RTL}]]`;
const EAST_ASIAN = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}]';
/** The full-width punctuation of East Asian scripts. Several such signs may follow one another. */
const EAST_ASIAN_SIGN = '[\\u3000-\\u303f\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65]';
const EAST_ASIAN_END = new RegExp(`${EAST_ASIAN}${EAST_ASIAN_SIGN}*$`, 'u');
/** Also matches the end of the text and a space. */
const EAST_ASIAN_START = new RegExp(`^(?:$|\\s|${EAST_ASIAN}|${EAST_ASIAN_SIGN})`, 'u');
/** More marks than this on one letter is not writing in any language. */
const MOST_MARKS = 4;

const TOKEN = new RegExp(
  [
    // As Unicode lists them: emoji need their joiners and selectors.
    `(?<emoji>\\p{RGI_Emoji})`,
    `(?<unseen>${ODD_CHARACTERS}+)`,
    `(?<stack>${MARK}{${MOST_MARKS + 1},})`,
    // Right-to-left words, with what is between them. A digit ends the run, because digits would change place.
    `(?<rtl>[${RTL}](?:[${RTL}]|${MARK}{1,${MOST_MARKS}}(?!${MARK})|[ ,;'"’\\-](?=[${RTL}]))*)`,
    `(?<address>${IN_ADDRESS}[${IN_ADDRESS}${MARK}.+_\\-]*@${IN_ADDRESS}[${IN_ADDRESS}${MARK}.\\-]*)`,
    `(?<word>${LETTER}[${LETTER}${MARK}]*)`,
    `(?<sign>[^\\p{L}\\p{N}\\p{M}\\p{Z}\\p{C}])`,
    `(?<space> +)`,
    `(?<mark>${MARK}+)`,
  ].join('|'),
  'gv',
);

/** Text in which nothing can deceive. Most texts are like this, and the test is fast. */
export const EVERYDAY = /^[ -~]*$/;

/** The parts of an address, one after another. */
const PART = new RegExp(`[${LETTER}${MARK}]+|[^${LETTER}${MARK}]+`, 'gv');

const STACK = new RegExp(`${MARK}{${MOST_MARKS + 1},}`, 'v');

const NOT_NFC: Segment = {
  kind: 'note',
  label: 'not NFC',
  explained:
    'This text can be written with other characters that look the same (it is not in Unicode form NFC).',
};

/**
 * The number of invisible characters in a row that are shown one by one. More are summed up, with the count of each.
 */
const MOST_IN_A_ROW = 6;

/**
 * @param text Any text. Nothing of it is dropped.
 * @example toSegments('a\u202eb') // [plain a, unseen ⟨U+202E RLO⟩, plain b]
 */
export function toSegments(text: string): Segment[] {
  if (EVERYDAY.test(text)) return text === '' ? [] : [{ kind: 'plain', text }];
  const segments: Segment[] = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > from) pushPlain(segments, text.slice(from, match.index));
    from = match.index + match[0].length;
    pushToken(segments, match[0], match.groups ?? {}, text.slice(from, from + 2));
  }
  if (from < text.length) pushPlain(segments, text.slice(from));
  if (text.normalize('NFC') !== text) segments.push(NOT_NFC);
  return segments;
}

function pushToken(
  segments: Segment[],
  token: string,
  groups: Record<string, string | undefined>,
  next: string,
): void {
  if (groups.unseen !== undefined) pushUnseen(segments, token);
  else if (groups.stack !== undefined) segments.push(stacked(token));
  else if (groups.rtl !== undefined) segments.push({ kind: 'rtl', text: token });
  else if (groups.mark !== undefined) pushMark(segments, token);
  else if (groups.sign !== undefined) pushSign(segments, token, next);
  else if (groups.address !== undefined) pushAddress(segments, token);
  else if (groups.word !== undefined) pushWord(segments, token);
  else pushPlain(segments, token);
}

function stacked(marks: string): Segment {
  const chars = [...marks].length;
  return {
    kind: 'unseen',
    label: `${chars} combining marks`,
    explained: `${chars} combining marks on one letter, not drawn`,
    chars,
  };
}

/** Between words of East Asian scripts these signs are normal writing and pass for nothing else. */
function pushSign(segments: Segment[], sign: string, next: string): void {
  const like = signLike(sign);
  const before = segments.at(-1);
  const isTheirs =
    before?.kind === 'plain' && EAST_ASIAN_END.test(before.text) && EAST_ASIAN_START.test(next);
  if (like === undefined || isTheirs) pushPlain(segments, sign);
  else segments.push({ kind: 'suspect', text: sign, why: `${codeOf(sign)}, looks like ${like}` });
}

/** Shows an address as one segment when its parts mix two alphabets. Otherwise shows it word by word, like any text. */
function pushAddress(segments: Segment[], address: string): void {
  const why = STACK.test(address) ? undefined : suspicionOfAddress(address);
  if (why !== undefined) segments.push({ kind: 'suspect', text: address, why });
  else for (const [part] of address.matchAll(PART)) pushWord(segments, part);
}

function pushWord(segments: Segment[], word: string): void {
  const stack = word.search(STACK);
  if (stack >= 0) {
    const marks = STACK.exec(word)?.[0] ?? '';
    pushPlain(segments, word.slice(0, stack));
    segments.push(stacked(marks));
    const rest = word.slice(stack + marks.length);
    if (rest !== '') pushWord(segments, rest);
    return;
  }
  const why = suspicionOf(word);
  if (why === undefined) pushPlain(segments, word);
  else segments.push({ kind: 'suspect', text: word, why });
}

/** A combining mark without a base would be drawn over our own text. */
function pushMark(segments: Segment[], marks: string): void {
  const before = segments.at(-1);
  if (before?.kind === 'plain' && !/\s$/.test(before.text)) pushPlain(segments, marks);
  else for (const mark of marks) segments.push(unseen(mark));
}

function pushUnseen(segments: Segment[], run: string): void {
  for (const part of run.split(/(\n)/)) {
    if (part === '') continue;
    if (part === '\n') segments.push({ kind: 'break' });
    else pushUnseenRun(segments, [...part]);
  }
}

function pushUnseenRun(segments: Segment[], chars: readonly string[]): void {
  if (chars.length <= MOST_IN_A_ROW) {
    for (const char of chars) segments.push(unseen(char));
    return;
  }
  const counts = new Map<string, number>();
  for (const char of chars) counts.set(char, (counts.get(char) ?? 0) + 1);
  const spelled = chars.map((char) => tagLetter(char) ?? '').join('');
  const kinds = [...counts].sort(([, a], [, b]) => b - a);
  const shown = kinds.slice(0, 3).map(([char, count]) => `${count} × ${codeOf(char)} ${unseenName(char)}`);
  const others = kinds.length > 3 ? `, and ${kinds.length - 3} other kinds` : '';
  segments.push({
    kind: 'unseen',
    label:
      counts.size === 1
        ? (shown[0] ?? '')
        : `${chars.length} unseen characters${spelled === '' ? '' : ` that spell “${spelled.slice(0, 200)}”`}`,
    explained: `${chars.length} characters that cannot be seen: ${shown.join(', ')}${others}`,
    chars: chars.length,
  });
}

function unseen(char: string): Segment {
  const name = unseenName(char);
  return {
    kind: 'unseen',
    label: `${codeOf(char)} ${name}`,
    explained: `a character that cannot be seen: ${codeOf(char)}, ${name}`,
    chars: 1,
  };
}

function pushPlain(segments: Segment[], text: string): void {
  const before = segments.at(-1);
  if (before?.kind === 'plain') before.text += text;
  else segments.push({ kind: 'plain', text });
}

/** Whether the whole text is what it looks like. */
export function isPlain(text: string): boolean {
  if (/^[\u0020-\u007e\n]*$/.test(text)) return true;
  return toSegments(text).every(({ kind }) => kind === 'plain' || kind === 'break' || kind === 'rtl');
}
