/** Finds lists that read better as a table: objects with the same members. Pure. */
import type { JsonObject, JsonValue } from '@permitry/protocol';

/** Nobody reads a table with more columns. */
const MOST_COLUMNS = 24;
/** The share of the columns that every row must have. With fewer in common, the objects are not alike. */
const LEAST_COMMON = 0.5;

/**
 * The columns of a list of similar objects, in order of appearance, or null if it is not such a list. Every value fits
 * a cell: none contains other values.
 *
 * @example columnsOf([{ id: 1, name: 'Ann' }, { id: 2, name: 'Bob' }]) // ['id', 'name']
 */
export function columnsOf(value: JsonValue): readonly string[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const filled = new Map<string, number>();
  for (const item of value) {
    if (!isFlatObject(item)) return null;
    for (const name of Object.keys(item)) filled.set(name, (filled.get(name) ?? 0) + 1);
    if (filled.size > MOST_COLUMNS) return null;
  }
  const common = [...filled.values()].filter((count) => count === value.length).length;
  return common > 0 && common >= filled.size * LEAST_COMMON ? [...filled.keys()] : null;
}

function isFlatObject(item: JsonValue): item is JsonObject {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return false;
  return Object.values(item).every((value) => value === null || typeof value !== 'object');
}
