import { columnWidth } from './column-width.ts';

/** Lines in a frame. Lines wider than the terminal go between two rules instead, so that nothing is cut or broken. */
export function box(lines: readonly string[], columns: number): string {
  const inner = Math.max(...lines.map(columnWidth));
  const isNarrow = inner + 4 > columns;
  const rule = '─'.repeat(isNarrow ? Math.max(1, columns) : inner + 2);
  if (isNarrow) return [rule, ...lines, rule].join('\n');
  const framed = lines.map((line) => `│ ${line}${' '.repeat(inner - columnWidth(line))} │`);
  return [`┌${rule}┐`, ...framed, `└${rule}┘`].join('\n');
}
