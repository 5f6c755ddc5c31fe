/** Follows a `$ref`, so that limits are computed for the parts that the validator will use. */
import type { JsonObject, JsonValue } from '@permitry/protocol';

/**
 * Finds the part of the document that `ref` names by its place, such as `#/$defs/node`.
 *
 * @throws Error if `ref` leads elsewhere, or if the validator may read it differently: the validator ignores a final
 * `#` or `#/`
 */
export function followRef(root: JsonObject, ref: string): JsonValue {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) throw new Error('a schema may refer to its own parts by their place only');
  const pointer = decodeURIComponent(ref.slice(2));
  if (pointer === '' || pointer.includes('#'))
    throw new Error('a schema refers to a place that can be read in two ways');
  let found: JsonValue | undefined = root;
  for (const token of pointer.split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    found = typeof found === 'object' && found !== null ? propertyOf(found, name) : undefined;
  }
  if (found === undefined) throw new Error('a schema refers to a part that is not there');
  return found;
}

/**
 * Refuses references in a schema whose parts have an `$id`. Below such a part, places are counted from that part, and
 * an `$id` may look like a place.
 *
 * @throws Error for a schema that has such parts and refers to anything
 */
export function assertPointersAreOfRoot(root: JsonObject): void {
  const { $id, ...parts } = root;
  const isNamedStrangely = typeof $id === 'string' && /#./.test($id);
  if ((isNamedStrangely || hasWord(parts, '$id')) && hasWord(parts, '$ref'))
    throw new Error('a schema whose parts have names of their own may not refer to places');
}

function hasWord(value: JsonValue, word: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasWord(item, word));
  return typeof value[word] === 'string' || Object.values(value).some((item) => hasWord(item, word));
}

function propertyOf(value: JsonObject | JsonValue[], name: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(name)];
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
