import type { Json } from './tables.ts';

/** JSON text of a value as it stands in a column. */
export function toJson(value: unknown): Json {
  return JSON.stringify(value);
}

/** What `toJson` wrote, read back; nothing else may stand in the column. */
export function fromJson<T>(text: Json): T {
  return JSON.parse(text) as T;
}
