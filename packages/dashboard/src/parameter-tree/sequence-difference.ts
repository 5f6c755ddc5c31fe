/** The shortest edit from one list of texts to another: words of a text, or lines of a document. Pure. */
export interface Step {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Keeps the longest common subsequence. Of the rest, removed items come before added ones. */
export function diffSequences(old: readonly string[], fresh: readonly string[]): Step[] {
  const common = commonLengths(old, fresh);
  const width = fresh.length + 1;
  const lengthAt = (row: number, column: number) => common[row * width + column] ?? 0;
  const steps: Step[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < fresh.length) {
    const [was = '', is = ''] = [old[at], fresh[to]];
    if (at < old.length && to < fresh.length && was === is) {
      steps.push({ kind: 'same', text: was });
      at += 1;
      to += 1;
    } else if (to === fresh.length || (at < old.length && lengthAt(at + 1, to) >= lengthAt(at, to + 1))) {
      steps.push({ kind: 'removed', text: was });
      at += 1;
    } else {
      steps.push({ kind: 'added', text: is });
      to += 1;
    }
  }
  return steps;
}

/** For each pair of positions, the length of the longest common subsequence of the rests. */
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
