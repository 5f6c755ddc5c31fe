import type { JsonRange, TextRange } from './locate-json.ts';
import { offsetInString } from './locate-json.ts';

/** A finding of the gate, with its JSON Pointer, and with line and column inside an expression. */
export interface Finding {
  path: string;
  message: string;
  place: { line: number; column: number } | null;
}

export interface LocatedFinding extends Finding {
  severity: 'error' | 'warning';
  range: TextRange;
  /** The line where it starts, counted from 1. */
  line: number;
  column: number;
}

/** The range to mark for each finding, in the order of the text. */
export function locateFindings(
  text: string,
  ranges: ReadonlyMap<string, JsonRange>,
  findings: readonly (Finding & { severity: 'error' | 'warning' })[],
): LocatedFinding[] {
  return findings
    .map((finding) => {
      const range = rangeOf(text, ranges, finding);
      return { ...finding, range, ...lineAndColumn(text, range.from) };
    })
    .toSorted((one, other) => one.range.from - other.range.from);
}

export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

function rangeOf(text: string, ranges: ReadonlyMap<string, JsonRange>, { path, place }: Finding): TextRange {
  if (path === '') return { from: 0, to: Math.min(1, text.length) };
  const found = ranges.get(path);
  if (found && place && text[found.from] === '"') return wordAt(text, found, place);
  if (found) return shown(text, ranges, path, found);
  // A finding about a missing member marks the parent.
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return rangeOf(text, ranges, { path: parent, message: '', place: null });
}

/** For a value of several lines, marks only its name, or the name of the rule. */
function shown(
  text: string,
  ranges: ReadonlyMap<string, JsonRange>,
  path: string,
  place: JsonRange,
): TextRange {
  if (text[place.from] !== '{' && text[place.from] !== '[') return place;
  return ranges.get(`${path}/name`) ?? place.name ?? { from: place.from, to: place.from + 1 };
}

/** The word that starts at the place in the expression. */
function wordAt(
  text: string,
  value: JsonRange,
  { line, column }: { line: number; column: number },
): TextRange {
  const expression = JSON.parse(text.slice(value.from, value.to)) as string;
  const lines = expression.split('\n');
  const offset = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
  const [word = ''] = /^(\w+|.)?/su.exec(expression.slice(offset)) ?? [];
  const from = offsetInString(text, value, offset);
  const to = offsetInString(text, value, offset + word.length);
  // At the end of the expression, only its last character is left to underline.
  return to > from
    ? { from, to }
    : { from: Math.max(value.from, from - 1), to: Math.max(from, value.from + 1) };
}
