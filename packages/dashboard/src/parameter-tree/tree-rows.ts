/** A JSON value as the rows of a tree: each value once, plain values before those with children. Pure. */

import type { JsonObject, JsonValue } from '@permitry/protocol';
import * as words from './parameter-tree.words.ts';
import { columnsOf } from './table-of.ts';

export type ValueKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

interface TreeRow {
  /** RFC 6901; '' for the root. */
  pointer: string;
  /** From 1. */
  level: number;
  /** The member's name, the item's index (from 0), or null for the root. */
  name: string | number | null;
  kind: ValueKind;
  value: JsonValue;
  /** The number of members or items; null for a value without children. */
  count: number | null;
  isOpen: boolean;
  /** How many of the members or items are shown; 0 when the row is closed. */
  shown: number;
  /** Its children are the rows of a table. */
  isTable: boolean;
  /** The position among its siblings, from 1. */
  position: number;
  siblings: number;
}

/** The row in place of children that are not shown yet. */
interface MoreRow {
  kind: 'more';
  /** The parent's pointer; name and counts are the parent's too. */
  pointer: string;
  level: number;
  name: TreeRow['name'];
  count: number;
  shown: number;
  isTable: boolean;
}

/** A list of similar objects: a table shows its items instead of tree rows. */
export interface TableRow {
  kind: 'table';
  /** The pointer of the list. */
  pointer: string;
  level: number;
  /** The list's own name. */
  name: TreeRow['name'];
  columns: readonly string[];
  /** The shown items. */
  items: readonly JsonObject[];
  /** The total number of items. */
  count: number;
}

export type AnyRow = TreeRow | MoreRow | TableRow;

/** How many children of each object or array are shown, by pointer; 0 when it is closed. */
export type Opened = ReadonlyMap<string, number>;

export const STEP = 100;
/** Rows that are open at first: few enough for a person to take in and for a page to draw at once. */
const FIRST_ROWS = 120;
/** The number of items of a nested list that are shown at first. */
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

/** In display order: values with children come last, so that a long list hides nothing after it. */
function shownChildren(value: JsonValue): [name: string | number, value: JsonValue][] {
  const children = childrenOf(value);
  if (Array.isArray(value)) return children;
  const isGroup = ([, child]: [unknown, JsonValue]) => Boolean(countOf(child));
  return [...children.filter((child) => !isGroup(child)), ...children.filter(isGroup)];
}

export function countOf(value: JsonValue): number | null {
  if (Array.isArray(value)) return value.length;
  return value !== null && typeof value === 'object' ? Object.keys(value).length : null;
}

export function childPointer(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * What is open at first: level by level, while the number of rows stays small. The groups in a list are all open or all
 * closed. The root is always open.
 */
export function openAtFirst(root: JsonValue): Opened {
  const opened = new Map<string, number>([['', STEP]]);
  let rows = Math.min(countOf(root) ?? 0, STEP);
  let level: [string, JsonValue][] = [['', root]];
  while (level.length > 0) {
    const next: [string, JsonValue][] = [];
    for (const [pointer, value] of level) {
      if (columnsOf(value)) continue;
      const groups = shownChildren(value)
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

/** The rows to draw. The root's children are on the first level, because the root is the tree itself. */
export function toRows(root: JsonValue, opened: Opened): AnyRow[] {
  const rows: AnyRow[] = [];
  // The gate limits nesting to 64 levels, so recursion is safe.
  const add = (parent: string, value: JsonValue, level: number, named: TreeRow['name']): void => {
    const children = shownChildren(value);
    const shown = opened.get(parent) ?? 0;
    const columns = columnsOf(value);
    if (columns && shown > 0) {
      const items = children.slice(0, shown).map(([, item]) => item as JsonObject);
      rows.push({
        kind: 'table',
        pointer: parent,
        level,
        name: named,
        columns,
        items,
        count: children.length,
      });
      addMore(parent, level, named, children.length, shown, true);
      return;
    }
    for (const [index, [name, child]] of children.slice(0, shown).entries()) {
      const pointer = childPointer(parent, name);
      const count = countOf(child);
      const most = opened.get(pointer) ?? 0;
      const isOpen = count !== null && count > 0 && most > 0;
      const isTable = columnsOf(child) !== null;
      rows.push({
        pointer,
        level,
        name,
        kind: kindOf(child),
        value: child,
        count,
        isOpen,
        shown: Math.min(most, count ?? 0),
        isTable,
        position: index + 1,
        siblings: children.length,
      });
      if (isOpen) add(pointer, child, level + 1, name);
    }
    addMore(parent, level, named, children.length, shown, false);
  };
  const addMore = (
    pointer: string,
    level: number,
    name: TreeRow['name'],
    count: number,
    shown: number,
    isTable: boolean,
  ): void => {
    if (shown > 0 && shown < count) rows.push({ kind: 'more', pointer, level, name, count, shown, isTable });
  };
  add('', root, 1, null);
  return rows;
}

/** Opens every object and array that is not empty, for "open all". */
export function openAll(root: JsonValue): Opened {
  const opened = new Map<string, number>([['', STEP]]);
  const add = (pointer: string, value: JsonValue): void => {
    if (columnsOf(value)) return;
    for (const [name, child] of shownChildren(value).slice(0, STEP)) {
      if (!countOf(child)) continue;
      const at = childPointer(pointer, name);
      opened.set(at, STEP);
      add(at, child);
    }
  };
  add('', root);
  return opened;
}

/** @example sayShown({ count: 2500, shown: 20, isTable: true }) // '2,500 rows, 20 shown' */
export function sayShown({ count, shown, isTable }: Pick<MoreRow, 'count' | 'shown' | 'isTable'>): string {
  return words.shown(count, isTable ? 'rows' : 'items', shown);
}
