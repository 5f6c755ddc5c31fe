/** Prints rows of text as columns: the first aligned left, the others right. */
export function printTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = columns.map((column, n) =>
    Math.max(column.length, ...rows.map((row) => row[n]?.length ?? 0)),
  );
  console.log(`\n${title}`);
  for (const row of [columns, ...rows]) {
    const cells = row.map((cell, n) =>
      n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0),
    );
    console.log(`  ${cells.join('  ')}`);
  }
}

/** On a terminal, a line that the next one overwrites. Elsewhere an ordinary line. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text) process.stderr.write(`${text}\n`);
}
