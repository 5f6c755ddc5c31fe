/** A JSON value as the rows of a tree: each value once, in the order of its canonical text, with what it is. Pure. */
import type { JsonValue } from '@permitry/protocol';

export type ValueKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface TreeRow {
  /** RFC 6901, '' for the whole. */
  pointer: string;
  /** From 1. */
  level: number;
  /** The member's name, the item's place (from 0), or null for the whole. */
  name: string | number | null;
  kind: ValueKind;
  value: JsonValue;
  /** Members or items; null for what has none. */
  count: number | null;
  isOpen: boolean;
  /** Among its siblings, from 1. */
  place: number;
  siblings: number;
}

/** Stands in place of children that are not shown yet. */
export interface MoreRow {
  kind: 'more';
  /** Of what they belong to. */
  pointer: string;
  level: number;
  hidden: number;
}

/** How many children of each object or array are shown, by pointer; 0: it is shut. */
export type Opened = ReadonlyMap<string, number>;

export const STEP = 100;
/** Rows that are open from the start: what a person takes in at a glance, and a page draws at once. */
const FIRST_ROWS = 120;
/** Of a list inside, at first. */
const FIRST_ITEMS = 20;

export function kindOf(value: JsonValue): ValueKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value as 'string' | 'number' | 'boolean';
    default:
      return 'object';
  }
}

export function childrenOf(value: JsonValue): [name: string | number, value: JsonValue][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return value !== null && typeof value === 'object' ? Object.entries(value) : [];
}

export function countOf(value: JsonValue): number | null {
  if (Array.isArray(value)) return value.length;
  return value !== null && typeof value === 'object' ? Object.keys(value).length : null;
}

export function childPointer(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * What is open at first, level by level and as long as few rows come of it. The groups in a list are open all or none.
 * The whole is open always.
 */
export function openAtFirst(root: JsonValue): Opened {
  const opened = new Map<string, number>([['', STEP]]);
  let rows = Math.min(countOf(root) ?? 0, STEP);
  let level: [string, JsonValue][] = [['', root]];
  while (level.length > 0) {
    const next: [string, JsonValue][] = [];
    for (const [pointer, value] of level) {
      const groups = childrenOf(value)
        .slice(0, opened.get(pointer))
        .filter(([, child]) => countOf(child));
      const sizes = groups.map(([, child]) => Math.min(countOf(child) ?? 0, FIRST_ITEMS));
      const needed = sizes.reduce((sum, size) => sum + size, 0);
      if (rows + needed > FIRST_ROWS && Array.isArray(value)) continue;
      for (const [index, [name, child]] of groups.entries()) {
        const size = sizes[index] ?? 0;
        if (rows + size > FIRST_ROWS) continue;
        rows += size;
        const at = childPointer(pointer, name);
        opened.set(at, FIRST_ITEMS);
        next.push([at, child]);
      }
    }
    level = next;
  }
  return opened;
}

/** The rows to draw. Children of the whole stand on the first level: the whole itself is the tree. */
export function toRows(root: JsonValue, opened: Opened): (TreeRow | MoreRow)[] {
  const rows: (TreeRow | MoreRow)[] = [];
  // Nesting is bounded by the gate (64), so this may call itself.
  const add = (parent: string, value: JsonValue, level: number): void => {
    const children = childrenOf(value);
    const shown = opened.get(parent) ?? 0;
    for (const [index, [name, child]] of children.slice(0, shown).entries()) {
      const pointer = childPointer(parent, name);
      const count = countOf(child);
      const isOpen = count !== null && count > 0 && (opened.get(pointer) ?? 0) > 0;
      rows.push({
        pointer,
        level,
        name,
        kind: kindOf(child),
        value: child,
        count,
        isOpen,
        place: index + 1,
        siblings: children.length,
      });
      if (isOpen) add(pointer, child, level + 1);
    }
    if (shown > 0 && children.length > shown) {
      rows.push({ kind: 'more', pointer: parent, level, hidden: children.length - shown });
    }
  };
  add('', root, 1);
  return rows;
}

/** Every object and array that holds something, for "open all". */
export function openAll(root: JsonValue): Opened {
  const opened = new Map<string, number>([['', STEP]]);
  const add = (pointer: string, value: JsonValue): void => {
    for (const [name, child] of childrenOf(value).slice(0, STEP)) {
      if (!countOf(child)) continue;
      const at = childPointer(pointer, name);
      opened.set(at, STEP);
      add(at, child);
    }
  };
  add('', root);
  return opened;
}
