/**
 * The only reader of JSON that comes from outside. It refuses every text that two readers could see differently, before
 * anything is hashed, so that the action that runs is the one approved. It follows RFC 8259 with the strictness of RFC
 * 7493.
 */
import { isExactly } from './exact-number.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { jsonPointer } from './json-pointer.ts';
import { quoteForMessage, StrictJsonError } from './strict-json-error.ts';

const DEFAULT_MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Integers of at most this many digits stay exact while the reader sums them up digit by digit. */
const EXACT_DIGITS = 15;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads one JSON document from its raw bytes. It is stricter than RFC 8259. It refuses empty input, a byte order mark,
 * invalid UTF-8 and lone surrogates. It refuses two members of the same name (after unescaping), members named
 * `__proto__`, and nesting deeper than `maxDepth` (default 64). It refuses integer-valued numbers beyond ±(2^53−1) in
 * any spelling, and numbers that overflow or underflow to zero. It refuses numbers with digits that a double does not
 * hold (`100.00000000000000001`).
 *
 * @throws StrictJsonError with the byte position and the JSON Pointer of the problem.
 * @example parseStrictJson(new TextEncoder().encode('{"amount":12.5}')) // { amount: 12.5 }
 */
export function parseStrictJson(bytes: Uint8Array, limits?: { maxDepth?: number }): JsonValue {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new StrictJsonError('The text is not valid UTF-8', firstInvalidByte(bytes), '');
  }
  return new StrictJsonReader(text, limits?.maxDepth ?? DEFAULT_MAX_DEPTH).readDocument();
}

/**
 * Halves the input until it finds the first byte that no valid text could begin with. Only invalid input causes this
 * work.
 */
function firstInvalidByte(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    try {
      // `stream` leaves a sequence open if the cut went through it.
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, middle), {
        stream: true,
      });
      valid = middle;
    } catch {
      invalid = middle;
    }
  }
  return valid;
}

/** Takes one pass over the decoded text. Recursion ends at `maxDepth`. */
class StrictJsonReader {
  private readonly text: string;
  private readonly maxDepth: number;
  private position = 0;
  private depth = 0;
  /** The reader's path: the member name or index inside each open container, null between members. */
  private readonly steps: (string | number | null)[] = [];

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  readDocument(): JsonValue {
    if (this.text.length === 0) this.fail('The text is empty; expected a JSON value');
    if (this.text.charCodeAt(0) === 0xfeff)
      this.fail('The text begins with a byte order mark; send UTF-8 without one');
    this.skipWhitespace();
    const value = this.readValue();
    this.skipWhitespace();
    if (this.position < this.text.length) this.fail('Unexpected text after the JSON value');
    return value;
  }

  private readValue(): JsonValue {
    const code = this.text.charCodeAt(this.position);
    if (code === QUOTE) return this.readString('string');
    if (code === OPEN_BRACE) return this.readObject();
    if (code === OPEN_BRACKET) return this.readArray();
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.readNumber(code);
    if (this.readWord('true')) return true;
    if (this.readWord('false')) return false;
    if (this.readWord('null')) return null;
    return this.failUnexpected('a JSON value');
  }

  private readObject(): JsonObject {
    const object: JsonObject = {};
    const level = this.enter();
    if (this.skipTo(CLOSE_BRACE)) return this.leave(object);
    for (;;) {
      if (this.text.charCodeAt(this.position) !== QUOTE)
        this.failUnexpected('a member name in double quotes');
      const start = this.position;
      const name = this.readString('member name');
      this.steps[level] = name;
      if (name === '__proto__') this.fail('A member must not be named "__proto__"', start);
      if (Object.hasOwn(object, name)) {
        this.fail(`The member name ${quoteForMessage(name)} appears twice in one object`, start);
      }
      if (!this.skipTo(COLON)) this.failUnexpected("':' after a member name");
      this.skipWhitespace();
      object[name] = this.readValue();
      this.steps[level] = null;
      if (this.skipTo(COMMA)) this.skipWhitespace();
      else if (this.skipTo(CLOSE_BRACE)) return this.leave(object);
      else this.failUnexpected("',' or '}' after a member");
    }
  }

  private readArray(): JsonValue[] {
    const array: JsonValue[] = [];
    const level = this.enter();
    if (this.skipTo(CLOSE_BRACKET)) return this.leave(array);
    for (;;) {
      this.steps[level] = array.length;
      array.push(this.readValue());
      if (this.skipTo(COMMA)) this.skipWhitespace();
      else if (this.skipTo(CLOSE_BRACKET)) return this.leave(array);
      else this.failUnexpected("',' or ']' after an element");
    }
  }

  /** Opens a container and returns the index of its step. */
  private enter(): number {
    if (this.depth >= this.maxDepth) this.fail(`The nesting is deeper than ${this.maxDepth} levels`);
    this.position += 1;
    this.steps.push(null);
    this.skipWhitespace();
    return this.depth++;
  }

  private leave<T>(container: T): T {
    this.depth -= 1;
    this.steps.pop();
    return container;
  }

  private readString(what: string): string {
    const { text } = this;
    const opening = this.position;
    let start = opening + 1;
    let read = '';
    for (let position = start; ; position++) {
      const code = text.charCodeAt(position);
      if (code === QUOTE) {
        this.position = position + 1;
        if (start === opening + 1) return text.slice(start, position);
        read += text.slice(start, position);
        // Only an escape can bring in half of a surrogate pair, because the decoder refuses raw ones.
        if (!read.isWellFormed()) this.fail(`A ${what} holds a lone surrogate`, opening);
        return read;
      }
      if (code === BACKSLASH) {
        this.position = position;
        read += text.slice(start, position) + this.readEscape();
        start = this.position;
        position = start - 1;
      } else if (!(code >= 0x20)) {
        // A control character, or NaN at the end of the text.
        this.fail(
          position < text.length
            ? `A ${what} holds a control character that is not escaped`
            : `A ${what} is not closed`,
          position,
        );
      }
    }
  }

  private readEscape(): string {
    const letter = this.text.charAt(this.position + 1);
    if (letter === 'u') {
      const digits = this.text.slice(this.position + 2, this.position + 6);
      if (!/^[0-9A-Fa-f]{4}$/.test(digits)) this.fail('Expected four hexadecimal digits after \\u');
      this.position += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = ESCAPES[letter];
    if (character === undefined) this.fail('A string holds an escape that JSON does not have');
    this.position += 2;
    return character;
  }

  private readNumber(first: number): number {
    const { text } = this;
    const start = this.position;
    const digits = first === MINUS ? start + 1 : start;
    let position = digits;
    let sum = 0;
    let code = text.charCodeAt(position);
    while (code >= ZERO && code <= NINE) {
      sum = sum * 10 + (code - ZERO);
      code = text.charCodeAt(++position);
    }
    const count = position - digits;
    if (count === 0) this.fail('Expected a digit after the minus sign', position);
    if (count > 1 && text.charCodeAt(digits) === ZERO)
      this.fail('A number must not begin with a zero', digits);
    // `code | 0x20` is 'e' for 'e' and 'E' only.
    if (count <= EXACT_DIGITS && code !== DOT && (code | 0x20) !== 0x65) {
      this.position = position;
      return first === MINUS ? -sum : sum;
    }
    if (code === DOT) position = this.skipDigits(position + 1);
    if ((text.charCodeAt(position) | 0x20) === 0x65) {
      const sign = text.charCodeAt(position + 1);
      position = this.skipDigits(position + (sign === MINUS || sign === 0x2b ? 2 : 1));
    }
    this.position = position;
    return this.toDouble(text.slice(start, position), start);
  }

  private skipDigits(start: number): number {
    let position = start;
    let code = this.text.charCodeAt(position);
    while (code >= ZERO && code <= NINE) code = this.text.charCodeAt(++position);
    if (position === start) this.fail('Expected a digit in a number', position);
    return position;
  }

  /** The number as a double, if every other reader of this text arrives at the same one. */
  private toDouble(spelling: string, start: number): number {
    const value = Number(spelling);
    if (!Number.isFinite(value)) this.fail('A number is too large for a double', start);
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.fail('An integer lies beyond ±9007199254740991; send it as a string', start);
    }
    if (value === 0 && /^-?[0.]*[1-9]/.test(spelling)) {
      this.fail('A number is too close to zero for a double', start);
    }
    if (!isExactly(spelling, value)) {
      this.fail('A number has more digits than a double holds; round it, or send it as a string', start);
    }
    return value;
  }

  private readWord(word: string): boolean {
    if (!this.text.startsWith(word, this.position)) return false;
    this.position += word.length;
    return true;
  }

  /** Skips whitespace, and this character if it comes next. */
  private skipTo(code: number): boolean {
    this.skipWhitespace();
    if (this.text.charCodeAt(this.position) !== code) return false;
    this.position += 1;
    return true;
  }

  private skipWhitespace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.position += 1;
    }
  }

  private failUnexpected(expected: string): never {
    const found =
      this.position < this.text.length
        ? quoteForMessage(String.fromCodePoint(this.text.codePointAt(this.position) ?? 0))
        : 'the end of the text';
    return this.fail(`Expected ${expected}, found ${found}`);
  }

  private fail(problem: string, position = this.position): never {
    const byte = new TextEncoder().encode(this.text.slice(0, position)).length;
    throw new StrictJsonError(problem, byte, jsonPointer(this.steps.filter((step) => step !== null)));
  }
}
