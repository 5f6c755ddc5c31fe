/** Where in the text of an expression something stands; both from 1. */
export interface ExpressionPosition {
  line: number;
  column: number;
}

/** "line 1, column 8: …": where the author has to look. */
export function sayPosition(source: string, at: number, message: string): string {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}: ${message}`;
}

/** Reads back what `sayPosition` said; undefined for a sentence without a place. */
export function positionInExpression(
  said: string,
): { place: ExpressionPosition; message: string } | undefined {
  const [, line, column, message] = /^line (\d+), column (\d+): (.*)$/s.exec(said) ?? [];
  if (message === undefined) return undefined;
  return { place: { line: Number(line), column: Number(column) }, message };
}
