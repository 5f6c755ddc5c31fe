/** Fits texts to the width of the terminal. */
import type { JsonValue } from '@permitry/protocol';

const NARROWEST = 60;
const WIDEST = 110;

/** Some terminals report that they have no columns at all. */
export function lineWidth(): number {
  return Math.max(NARROWEST, Math.min(process.stdout.columns || WIDEST, WIDEST));
}

/** Wraps a sentence into lines that all begin at the same column. */
export function wrap(sentence: string, indent: number): string {
  const width = lineWidth() - indent;
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].map((text) => ' '.repeat(indent) + text).join('\n');
}

/** JSON on one line if it fits, otherwise with its members on lines of their own. */
export function fitJson(value: JsonValue, indent: number): string {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent + flat.length <= lineWidth()) return flat;
  const inner = indent + 1;
  const parts = Array.isArray(value)
    ? value.map((item) => fitJson(item, inner))
    : Object.entries(value).map(([name, item]) => `"${name}":${fitJson(item, inner + name.length + 3)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}${parts.join(`,\n${' '.repeat(inner)}`)}${close}`;
}
