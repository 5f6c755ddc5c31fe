/** A position in the text of an expression. Both members count from 1. */
export interface ExpressionPosition {
  line: number;
  column: number;
}

/** "line 1, column 8: …": shows the author the position. */
export function sayPosition(source: string, at: number, message: string): string {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}: ${message}`;
}

/** Parses the output of `sayPosition`. Undefined for a sentence without a position. */
export function positionInExpression(
  said: string,
): { place: ExpressionPosition; message: string } | undefined {
  const [, line, column, message] = /^line (\d+), column (\d+): (.*)$/s.exec(said) ?? [];
  if (message === undefined) return undefined;
  return { place: { line: Number(line), column: Number(column) }, message };
}
