export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Of more, the table would take longer than anybody waits; what differs is then shown as replaced. */
const LARGEST_TABLE = 4_000_000;

/** The shortest way from one text to the other, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = before.split('\n');
  const fresh = after.split('\n');
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail += 1;
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...old.slice(0, head).map(same),
    ...diffMiddle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ];
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > LARGEST_TABLE) {
    return [
      ...old.map((text) => ({ kind: 'removed' as const, text })),
      ...fresh.map((text) => ({ kind: 'added' as const, text })),
    ];
  }
  const common = commonLengths(old, fresh);
  const width = fresh.length + 1;
  const lines: DiffLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < fresh.length) {
    const [was = '', is = ''] = [old[at], fresh[to]];
    if (at < old.length && to < fresh.length && was === is) {
      lines.push({ kind: 'same', text: was });
      at += 1;
      to += 1;
    } else if (to === fresh.length || (at < old.length && lengthAt(at + 1, to) >= lengthAt(at, to + 1))) {
      lines.push({ kind: 'removed', text: was });
      at += 1;
    } else {
      lines.push({ kind: 'added', text: is });
      to += 1;
    }
  }
  return lines;

  function lengthAt(row: number, column: number): number {
    return common[row * width + column] ?? 0;
  }
}

/** For each pair of places, how many lines the rests have in common. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array {
  const width = fresh.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const here = row * width + column;
      table[here] =
        old[row] === fresh[column]
          ? 1 + (table[here + width + 1] ?? 0)
          : Math.max(table[here + width] ?? 0, table[here + 1] ?? 0);
    }
  }
  return table;
}

/** Runs of lines that stayed are cut to so many around each change; `null` stands for what is left out. */
export function withContext(lines: readonly DiffLine[], context = 3): (DiffLine | null)[] {
  const near = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let at = index - context; at <= index + context; at += 1) near.add(at);
  }
  const shown: (DiffLine | null)[] = [];
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) shown.push(line);
    else if (shown.at(-1) !== null) shown.push(null);
  }
  return shown;
}
