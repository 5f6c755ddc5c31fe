/** A JSON value as the rows of a tree: each value once, plain values before what holds others. Pure. */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { columnsOf } from './table-of.ts';

export type ValueKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

interface TreeRow {
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
  /** How many of them are shown; 0 where it is shut. */
  shown: number;
  /** Its children are the rows of a table. */
  isTable: boolean;
  /** Among its siblings, from 1. */
  position: number;
  siblings: number;
}

/** Stands in place of children that are not shown yet. */
interface MoreRow {
  kind: 'more';
  /** Of what they belong to; so are the name and the counts. */
  pointer: string;
  level: number;
  name: TreeRow['name'];
  count: number;
  shown: number;
  isTable: boolean;
}

/** A list of like objects: its items in the place of rows of their own. */
export interface TableRow {
  kind: 'table';
  /** Of the list. */
  pointer: string;
  level: number;
  /** The list's own name. */
  name: TreeRow['name'];
  columns: readonly string[];
  /** Those shown. */
  items: readonly JsonObject[];
  /** All there are. */
  count: number;
}

export type AnyRow = TreeRow | MoreRow | TableRow;

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

/** As they are shown: what holds other values comes last, so that a long list hides nothing that follows it. */
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

/** The rows to draw. Children of the whole stand on the first level: the whole itself is the tree. */
export function toRows(root: JsonValue, opened: Opened): AnyRow[] {
  const rows: AnyRow[] = [];
  // Nesting is bounded by the gate (64), so this may call itself.
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

/** Every object and array that holds something, for "open all". */
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
  const of = (number: number) => number.toLocaleString('en-GB');
  return `${of(count)} ${isTable ? 'rows' : 'items'}, ${of(shown)} shown`;
}
