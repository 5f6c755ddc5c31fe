import type { JsonObject, JsonValue } from '../json.ts';

/** The beginning of a text, and the number of its characters that were omitted. */
export interface Excerpt {
  text: string;
  more: number;
}

const LONGEST_PARAMS = 160;
const LONGEST_WORDS = 280;

/** Members in which a requester is likely to explain what it wants. */
const WORDS = ['description', 'reason', 'why', 'purpose', 'summary', 'message', 'comment', 'note', 'title'];

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/**
 * Parameters on one line, e.g. `order: "A-4711", amount: 120.5`. Characters stay as they are; the code that shows the
 * line makes invisible ones visible.
 */
export function excerptOfParams(params: JsonObject): Excerpt {
  return excerptOfProperties(params, LONGEST_PARAMS);
}

/** The requester's explanation of its request. Null when there is none. */
export function excerptOfWords(metadata: JsonObject): Excerpt | null {
  for (const name of WORDS) {
    const words = metadata[name];
    if (typeof words === 'string' && words.trim() !== '') {
      const line = new Line(LONGEST_WORDS);
      line.write(words.trim());
      return line.excerpt();
    }
  }
  return Object.keys(metadata).length === 0 ? null : excerptOfProperties(metadata, LONGEST_WORDS);
}

/** All members on one line, cut at `longest` characters. */
export function excerptOfProperties(properties: JsonObject, longest: number): Excerpt {
  const line = new Line(longest);
  writeProperties(line, properties);
  return line.excerpt();
}

class Line {
  #text = '';
  #room: number;
  #more = 0;

  constructor(longest: number) {
    this.#room = longest;
  }

  write(piece: string): void {
    const shown = cutAt(piece, this.#room);
    this.#text += shown;
    // Once something is omitted, nothing after it may appear as if it came next.
    this.#room = shown.length < piece.length ? 0 : this.#room - shown.length;
    this.#more += piece.length - shown.length;
  }

  excerpt(): Excerpt {
    return { text: this.#text, more: this.#more };
  }
}

/** Cuts the text at this length without splitting a character. */
function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function writeProperties(line: Line, properties: JsonObject): void {
  let first = true;
  for (const [name, value] of Object.entries(properties)) {
    if (!first) line.write(', ');
    first = false;
    if (PLAIN_NAME.test(name)) line.write(name);
    else writeText(line, name);
    line.write(': ');
    writeValue(line, value);
  }
}

function writeValue(line: Line, value: JsonValue): void {
  if (typeof value === 'string') writeText(line, value);
  else if (value === null || typeof value !== 'object') line.write(String(value));
  else if (Array.isArray(value)) writeItems(line, value);
  else {
    line.write('{');
    writeProperties(line, value as JsonObject);
    line.write('}');
  }
}

function writeItems(line: Line, items: readonly JsonValue[]): void {
  line.write('[');
  for (const [index, item] of items.entries()) {
    if (index > 0) line.write(', ');
    writeValue(line, item);
  }
  line.write(']');
}

function writeText(line: Line, text: string): void {
  line.write('"');
  line.write(text.replace(/["\\]/g, '\\$&'));
  line.write('"');
}
