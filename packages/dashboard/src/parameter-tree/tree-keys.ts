/** What a key does in the tree (WAI-ARIA tree view pattern). Pure. */
import type { AnyRow } from './tree-rows.ts';

export type Move = { kind: 'focus'; index: number } | { kind: 'toggle' };

/** Undefined when the key does nothing here, so the browser can handle it. */
export function moveIn(rows: readonly AnyRow[], current: number, key: string): Move | undefined {
  const row = rows[current];
  if (!row) return undefined;
  switch (key) {
    case 'ArrowDown':
      return to(Math.min(current + 1, rows.length - 1));
    case 'ArrowUp':
      return to(Math.max(current - 1, 0));
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'Enter':
    case ' ':
      if (row.kind === 'table') return undefined;
      return row.kind === 'more' || row.count ? { kind: 'toggle' } : undefined;
    case 'ArrowRight':
      if (row.kind === 'more' || row.kind === 'table' || !row.count) return undefined;
      return row.isOpen ? to(current + 1) : { kind: 'toggle' };
    case 'ArrowLeft':
      if (row.kind !== 'more' && row.kind !== 'table' && row.isOpen) return { kind: 'toggle' };
      return toParent(rows, current, row.level);
    default:
      return undefined;
  }
}

function to(index: number): Move {
  return { kind: 'focus', index };
}

function toParent(rows: readonly AnyRow[], current: number, level: number): Move | undefined {
  const parent = rows.slice(0, current).findLastIndex((row) => row.level < level);
  return parent < 0 ? undefined : to(parent);
}
