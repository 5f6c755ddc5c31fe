/** Parses JSON while somebody types it, and records the position of each value in the text. */
import { isExactly, type JsonValue } from '@permitry/protocol';
import * as words from './document.words.ts';

/** Offsets into the text; `to` is exclusive. */
export interface TextRange {
  from: number;
  to: number;
}

export interface JsonRange extends TextRange {
  /** The position of the name, for a member of an object. */
  name?: TextRange;
}

export type LocatedJson =
  | { ok: true; value: JsonValue; ranges: ReadonlyMap<string, JsonRange> }
  | { ok: false; message: string; at: number };

const MAX_DEPTH = 64;

/**
 * @returns positions by JSON Pointer (RFC 6901); '' is the document. For invalid JSON, the first mistake and its
 * position.
 * @example locateJson('{"a": 1}') // { ok: true, value: { a: 1 }, places: … '/a' → { from: 6, to: 7, name: … } }
 */
export function locateJson(text: string): LocatedJson {
  try {
    const reader = new Reader(text);
    const value = reader.document();
    return { ok: true, value, ranges: reader.ranges };
  } catch (mistake) {
    if (mistake instanceof Mistake) return { ok: false, message: mistake.message, at: mistake.at };
    throw mistake;
  }
}

/** A number, or `true`, `false`, `null`. */
function toWord(word: string, at: number): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(word) as JsonValue;
  } catch {
    throw new Mistake(words.notJson(word.slice(0, 30)), at);
  }
  if (typeof value === 'number' && !isExactly(word, value))
    throw new Mistake(words.tooManyDigits(word.slice(0, 30)), at);
  return value;
}

class Mistake extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

class Reader {
  readonly ranges = new Map<string, JsonRange>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    const value = this.#value('', 0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#mistake(words.afterDocument);
    return value;
  }

  #value(pointer: string, depth: number, name?: TextRange): JsonValue {
    if (depth > MAX_DEPTH) throw this.#mistake(words.tooDeep);
    this.#space();
    const from = this.#at;
    const value = this.#valueHere(pointer, depth);
    this.ranges.set(pointer, { from, to: this.#at, ...(name && { name }) });
    return value;
  }

  #valueHere(pointer: string, depth: number): JsonValue {
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(pointer, depth);
      case '[':
        return this.#array(pointer, depth);
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(pointer: string, depth: number): JsonValue {
    const object: Record<string, JsonValue> = {};
    this.#at += 1;
    if (this.#take('}')) return object;
    do {
      this.#space();
      const from = this.#at;
      if (this.#text[from] !== '"') throw this.#mistake(words.expectedName);
      const name = this.#string();
      const range = { from, to: this.#at };
      if (name === '__proto__') throw new Mistake(words.forbiddenName, from);
      if (Object.hasOwn(object, name)) throw new Mistake(words.duplicateName(name), from);
      if (!this.#take(':')) throw this.#mistake(words.expectedColon);
      const below = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      object[name] = this.#value(below, depth + 1, range);
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#mistake(words.expectedCommaOr('}'));
    return object;
  }

  #array(pointer: string, depth: number): JsonValue {
    const array: JsonValue[] = [];
    this.#at += 1;
    if (this.#take(']')) return array;
    do array.push(this.#value(`${pointer}/${array.length}`, depth + 1));
    while (this.#take(','));
    if (!this.#take(']')) throw this.#mistake(words.expectedCommaOr(']'));
    return array;
  }

  #string(): string {
    const from = this.#at;
    const end = endOfString(this.#text, from);
    if (end === undefined) throw new Mistake(words.unclosedString, from);
    this.#at = end;
    try {
      return JSON.parse(this.#text.slice(from, end)) as string;
    } catch {
      throw new Mistake(words.invalidString, from);
    }
  }

  #word(): JsonValue {
    const from = this.#at;
    const [word = ''] = /^[^\s,:[\]{}"]*/.exec(this.#text.slice(from, from + 400)) ?? [];
    if (word === '') throw this.#mistake(from < this.#text.length ? words.expectedValue : words.endsTooEarly);
    const value = toWord(word, from);
    this.#at += word.length;
    return value;
  }

  #take(sign: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    while (/[ \t\n\r]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #mistake(message: string): Mistake {
    return new Mistake(message, this.#at);
  }
}

/** The position after the closing quotation mark, or undefined when the line or the text ends before it. */
function endOfString(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') return at + 1;
    if (sign === '\n') return undefined;
    if (sign === '\\') at += 1;
  }
  return undefined;
}

/**
 * The position of a character within a string's JSON spelling: `\n` is one character there and two here.
 *
 * @param offset The index of the character in the value.
 */
export function offsetInString(text: string, { from, to }: TextRange, offset: number): number {
  let at = from + 1;
  for (let passed = 0; passed < offset && at < to - 1; passed += 1) {
    if (text[at] !== '\\') at += 1;
    else at += text[at + 1] === 'u' ? 6 : 2;
  }
  return Math.min(at, to - 1);
}
