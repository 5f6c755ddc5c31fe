import type { JsonObject, JsonValue } from '@permitry/protocol';

/** The gate refuses deeper nesting, and a cycle has no end. */
const DEEPEST = 64;

/**
 * A copy of the request, so that nobody can change it between the approval and the use. Drops members that are
 * undefined, as JSON does. Refuses everything else that JSON would silently change or lose, because people must see
 * what will run.
 *
 * @throws TypeError that names the place, as a JSON Pointer
 */
export function copyJson(object: object, name = 'params'): JsonObject {
  if (object === null || typeof object !== 'object' || Array.isArray(object))
    throw new TypeError(`${name} must be an object`);
  return copyObject(object, `${name} `, '', 1);
}

function copyObject(object: object, name: string, path: string, depth: number): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null && !isForeignPlainObject(prototype))
    throw refuse(name, path, 'is an instance of a class; give its JSON form instead');
  if (depth > DEEPEST)
    throw refuse(name, path, `is nested deeper than ${DEEPEST} levels, or contains itself`);
  const copy: JsonObject = {};
  for (const [property, value] of Object.entries(object) as [string, unknown][]) {
    if (value === undefined) continue;
    const at = `${path}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (property === '__proto__') throw refuse(name, at, 'must not have that name');
    copy[property] = copyValue(value, name, at, depth);
  }
  return copy;
}

function copyValue(value: unknown, name: string, path: string, depth: number): JsonValue {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      if (!value.isWellFormed()) throw refuse(name, path, 'holds half of a surrogate pair');
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw refuse(name, path, `is ${value}, which JSON does not have`);
      // JSON has no negative zero, so the approved value is 0.
      return value === 0 ? 0 : value;
    case 'object':
      if (value === null) return null;
      if (!Array.isArray(value)) return copyObject(value, name, path, depth + 1);
      if (depth >= DEEPEST)
        throw refuse(name, path, `is nested deeper than ${DEEPEST} levels, or contains itself`);
      // Not `map`, which would keep holes.
      return Array.from(value, (item: unknown, index) =>
        copyValue(item, name, `${path}/${index}`, depth + 1),
      );
    default:
      throw refuse(name, path, `is of the type ${typeof value}, which JSON does not have`);
  }
}

/** Objects of another realm (a frame, a `vm` context) have that realm's own prototype, whose prototype is null. */
function isForeignPlainObject(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype as object, 'hasOwnProperty')
  );
}

function refuse(name: string, path: string, what: string): TypeError {
  return new TypeError(`${name}${path === '' ? '' : `at ${path} `}${what}`);
}
