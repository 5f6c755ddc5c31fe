/** Reads JSON as it is being written, and knows where each value stands in the text. */
import { isExactly, type JsonValue } from '@permitry/protocol';
import { printParseErrorCode, visit } from 'jsonc-parser';

/** Offsets into the text; `to` is exclusive. */
export interface TextRange {
  from: number;
  to: number;
}

export interface JsonRange extends TextRange {
  /** Where the member's name stands, for a member of an object. */
  name?: TextRange;
}

export type LocatedJson =
  | { ok: true; value: JsonValue; ranges: ReadonlyMap<string, JsonRange> }
  | { ok: false; message: string; at: number };

const MAX_DEPTH = 64;

/**
 * @returns places by JSON Pointer (RFC 6901); '' is the document. On the first mistake: what it is, and where.
 * @example locateJson('{"a": 1}') // { ok: true, value: { a: 1 }, places: … '/a' → { from: 6, to: 7, name: … } }
 */
export function locateJson(text: string): LocatedJson {
  const reader = new Reader(text);
  try {
    visit(text, reader, { disallowComments: true });
  } catch (mistake) {
    if (mistake instanceof Mistake) return { ok: false, message: mistake.message, at: mistake.at };
    throw mistake;
  }
  return { ok: true, value: reader.document, ranges: reader.ranges };
}

class Mistake extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** By the parser's names; those that are not here say which sign has to stand there. */
const MISTAKES: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'A name in double quotes has to stand here',
  ColonExpected: 'A colon has to stand here',
  ValueExpected: 'A value has to stand here',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfString: 'This text has no closing quotation mark',
  InvalidUnicode: 'This text has a \\ that is no escape JSON knows',
  InvalidEscapeCharacter: 'This text has a \\ that is no escape JSON knows',
  InvalidCharacter: 'This text has a character that JSON writes as an escape',
};
const NO_VALUE = new Set(['InvalidSymbol', 'InvalidNumberFormat', 'UnexpectedEndOfNumber']);

/** An object or list whose end has not come yet. */
interface Open {
  value: Record<string, JsonValue> | JsonValue[];
  pointer: string;
  from: number;
  ownName: TextRange | undefined;
  /** Of the member whose value comes next. */
  next: { name: string; range: TextRange } | undefined;
}

/** Told by the parser what it meets, in order. */
class Reader {
  document: JsonValue = null;
  readonly ranges = new Map<string, JsonRange>();
  readonly #text: string;
  readonly #open: Open[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  readonly onObjectBegin = (from: number): void => this.#begin({}, from);
  readonly onArrayBegin = (from: number): void => this.#begin([], from);
  readonly onObjectEnd = (from: number): void => this.#end(from + 1);
  readonly onArrayEnd = (from: number): void => this.#end(from + 1);

  readonly onObjectProperty = (name: string, from: number, length: number): void => {
    const parent = this.#open.at(-1);
    if (name === '__proto__') throw new Mistake('This name is not allowed', from);
    if (!parent || Object.hasOwn(parent.value, name)) throw new Mistake(`“${name}” stands here twice`, from);
    parent.next = { name, range: { from, to: from + length } };
  };

  readonly onLiteralValue = (value: JsonValue, from: number, length: number): void => {
    const word = this.#text.slice(from, from + length);
    if (typeof value === 'number' && !isExactly(word, value))
      throw new Mistake(`${word.slice(0, 30)} has more digits than a number holds; round it`, from);
    const { pointer, ownName } = this.#take(value, from);
    this.#place(pointer, from, from + length, ownName);
  };

  readonly onError = (code: number, from: number, length: number): never => {
    const parent = this.#open.at(-1);
    const said = printParseErrorCode(code);
    if (from >= this.#text.length) throw new Mistake('The text ends too early', from);
    if (!parent && this.ranges.has('')) throw new Mistake('Nothing may stand after the document', from);
    if (NO_VALUE.has(said)) {
      const word = this.#text.slice(from, from + Math.min(length, 30));
      throw new Mistake(`${word} is not JSON; texts stand in double quotes`, from);
    }
    const sign = Array.isArray(parent?.value) ? ']' : '}';
    throw new Mistake(MISTAKES[said] ?? `A comma or ${sign} has to stand here`, from);
  };

  #begin(value: Open['value'], from: number): void {
    this.#open.push({ value, from, ...this.#take(value, from), next: undefined });
  }

  #end(to: number): void {
    const ended = this.#open.pop();
    if (ended) this.#place(ended.pointer, ended.from, to, ended.ownName);
  }

  /** Puts a value where it belongs. */
  #take(value: JsonValue, from: number): { pointer: string; ownName: TextRange | undefined } {
    if (this.#open.length > MAX_DEPTH) throw new Mistake('This is nested too deep', from);
    const parent = this.#open.at(-1);
    if (!parent) {
      this.document = value;
      return { pointer: '', ownName: undefined };
    }
    if (Array.isArray(parent.value)) {
      parent.value.push(value);
      return { pointer: `${parent.pointer}/${parent.value.length - 1}`, ownName: undefined };
    }
    const { name = '', range } = parent.next ?? {};
    parent.value[name] = value;
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return { pointer: `${parent.pointer}/${step}`, ownName: range };
  }

  #place(pointer: string, from: number, to: number, name: TextRange | undefined): void {
    this.ranges.set(pointer, { from, to, ...(name && { name }) });
  }
}

/**
 * Where a character of a text value stands in its JSON spelling: `\n` is one character there and two here.
 *
 * @param offset Of the character, in the value.
 */
export function offsetInString(text: string, { from, to }: TextRange, offset: number): number {
  let at = from + 1;
  for (let passed = 0; passed < offset && at < to - 1; passed += 1) {
    if (text[at] !== '\\') at += 1;
    else at += text[at + 1] === 'u' ? 6 : 2;
  }
  return Math.min(at, to - 1);
}
