import { diffSequences, type Step } from '../../../../parameter-tree/sequence-difference.ts';

/** A larger table would take too long. Above this size, the whole differing part counts as replaced. */
const LARGEST_TABLE = 4_000_000;

/** The shortest edit from one text to the other, line by line. */
export function diffLines(before: string, after: string): Step[] {
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
  const same = (text: string): Step => ({ kind: 'same', text });
  return [
    ...old.slice(0, head).map(same),
    ...diffMiddle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ];
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): Step[] {
  if (old.length * fresh.length > LARGEST_TABLE) {
    return [
      ...old.map((text) => ({ kind: 'removed' as const, text })),
      ...fresh.map((text) => ({ kind: 'added' as const, text })),
    ];
  }
  return diffSequences(old, fresh);
}

/** Shortens runs of unchanged lines to `context` lines around each change; `null` marks an omission. */
export function withContext(lines: readonly Step[], context = 3): (Step | null)[] {
  const near = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let at = index - context; at <= index + context; at += 1) near.add(at);
  }
  const shown: (Step | null)[] = [];
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) shown.push(line);
    else if (shown.at(-1) !== null) shown.push(null);
  }
  return shown;
}
