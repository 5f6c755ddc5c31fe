/** Output of a command: JSON for programs, tables for people, and warnings beside either. */
import { columnWidth } from './column-width.ts';
import { paint, paintError, sayVisibly, toInertJson } from './say.ts';

/** The whole result of a command on stdout, for programs. */
export function printJson(value: unknown): void {
  process.stdout.write(`${toInertJson(value, 2)}\n`);
}

/** One line of JSON on stdout, for programs that follow the output. */
export function printLine(value: unknown): void {
  process.stdout.write(`${toInertJson(value)}\n`);
}

export interface Column<Row> {
  title: string;
  text: (row: Row) => string;
  /** This column shrinks when the terminal is too narrow. */
  shrinks?: true;
}

const GAP = '  ';
const DEFAULT_WIDTH = 80;
const NARROWEST = 8;

/**
 * Aligned columns on stdout. On a terminal, columns that may shrink are cut to fit. In a pipe nothing is cut. Cells are
 * made inert, because others often choose the names and words in them.
 */
export function printTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  whenEmpty: string,
): void {
  if (rows.length === 0) process.stderr.write(`${whenEmpty}\n`);
  else process.stdout.write(toTable(rows, columns));
}

/** A table as text: aligned columns, each line with its line end. */
export function toTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = rows.map((row) => columns.map((column) => sayVisibly(column.text(row))));
  const natural = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((row) => columnWidth(row[index] ?? ''))),
  );
  const widths = process.stdout.isTTY
    ? fit(natural, columns, process.stdout.columns || DEFAULT_WIDTH)
    : natural;
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => cut(text, widths[index] ?? 0))
      .map((text, index) => text + ' '.repeat((widths[index] ?? 0) - columnWidth(text)))
      .join(GAP)
      .trimEnd();
  const head = paint('dim', line(columns.map(({ title }) => title)));
  return [head, ...cells.map(line)].map((text) => `${text}\n`).join('');
}

/** Narrows the widest column that may shrink, until the table fits or no column can shrink further. */
function fit<Row>(natural: readonly number[], columns: readonly Column<Row>[], room: number): number[] {
  const widths = [...natural];
  const total = (): number =>
    widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  while (total() > room) {
    const widest = columns
      .map(({ shrinks }, index) => ({ index, width: shrinks ? (widths[index] ?? 0) : 0 }))
      .reduce((a, b) => (b.width > a.width ? b : a));
    if (widest.width <= NARROWEST) break;
    widths[widest.index] = widest.width - 1;
  }
  return widths;
}

/** A row wider than the terminal would continue where the next row begins. */
function cut(text: string, width: number): string {
  if (columnWidth(text) <= width) return text;
  let kept = '';
  for (const letter of text) {
    if (columnWidth(kept + letter) > width - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}

/** Writes a warning to stderr, apart from the command's result. With `json`, the warning is one line of JSON. */
export function tellWarning(sentence: string, { json }: { json?: boolean }): void {
  if (json) process.stderr.write(`${JSON.stringify({ warning: sentence })}\n`);
  else process.stderr.write(`${paintError('yellow', 'warning:')} ${sentence}\n`);
}
