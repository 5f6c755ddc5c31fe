/** Where a `$ref` leads, so that what is said of a schema beforehand is said of the parts the validator will go to. */
import type { JsonObject, JsonValue } from '@permitry/protocol';

/**
 * The part of the document at the place that `ref` names, as `#/$defs/node`.
 *
 * @throws Error where it leads elsewhere, or may be read otherwise by the validator, which takes a last `#` or `#/` for
 *   nothing
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
 * Below a part that has a name of its own, places are counted from there; and names may pass for places of other parts.
 *
 * @throws Error for a schema that has such names, and refers to anything
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
