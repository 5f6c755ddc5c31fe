import canonicalize from 'canonicalize';
import type { JsonObject, JsonValue } from './json.ts';

declare const canonical: unique symbol;

/**
 * The canonical form of a JSON value, as `canonicalJson` writes it. Code that hashes an object with fixed members joins
 * their texts itself, in the order of RFC 8785 §3.2.3. Tests compare that text with `canonicalJson` of the whole
 * object.
 */
export type CanonicalJson = string & { readonly [canonical]: true };

/**
 * The one canonical text of a JSON value (RFC 8785, JSON Canonicalization Scheme): members sorted by UTF-16 code units,
 * ECMAScript's spelling of numbers, no whitespace. Strings are not normalised: NFC and NFD spellings differ.
 *
 * @throws TypeError for anything that is not a JSON value: undefined, NaN, ±Infinity, lone surrogates, functions, class
 * instances, holes in arrays, cycles. It never drops anything silently.
 * @example canonicalJson({ b: -0, a: [1.0, 'é'] }) // '{"a":[1,"é"],"b":0}'
 */
export function canonicalJson(value: JsonValue): CanonicalJson {
  try {
    const ordered = inOrder(value);
    if (ordered !== undefined) return JSON.stringify(ordered) as CanonicalJson;
  } catch (error) {
    // The value is too deep for the stack, or holds a cycle; the library tells which.
    if (!(error instanceof RangeError)) throw error;
  }
  return canonicalAnyhow(value);
}

const ZERO = 0x30;
const NINE = 0x39;

/**
 * The same value with its members in canonical order. JSON.stringify then writes its canonical text, several times as
 * fast as any other way. Undefined when no object can hold that order. Names that begin with a digit may be indexes,
 * which come first, and `__proto__` is not an ordinary member.
 *
 * @throws TypeError for a value that is not JSON. JSON.stringify would drop or convert it, and two values would share
 * one hash.
 */
function inOrder(value: unknown): JsonValue | undefined {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('A lone surrogate has no canonical form');
    return value;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`);
    return value;
  }
  if (Array.isArray(value)) {
    const elements: JsonValue[] = [];
    for (let index = 0; index < value.length; index++) {
      const element = inOrder(value[index]);
      if (element === undefined) return undefined;
      elements.push(element);
    }
    return elements;
  }
  assertPlainObject(value);
  const properties: JsonObject = {};
  for (const name of Object.keys(value).sort()) {
    const first = name.charCodeAt(0);
    if ((first >= ZERO && first <= NINE) || name === '__proto__') return undefined;
    if (!name.isWellFormed()) throw new TypeError('A lone surrogate has no canonical form');
    const property = inOrder(value[name]);
    if (property === undefined) return undefined;
    properties[name] = property;
  }
  return properties;
}

function assertPlainObject(value: unknown): asserts value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object') throw new TypeError(`A value of type ${typeof value} has no canonical form`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('An instance of a class has no canonical form');
  }
}

/** Uses the library, which accepts any value, with any member names and any depth. */
export function canonicalAnyhow(value: JsonValue): CanonicalJson {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    throw new TypeError('Only JSON values have a canonical form', { cause });
  }
  // Runs after the library, which has ruled out cycles.
  assertJsonValue(value);
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form');
  return text as CanonicalJson;
}

/** ASCII that needs no escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** RFC 8785 §3.2.2.2: ECMAScript's own spelling of a string, or null. A lone surrogate has no spelling. */
export function canonicalString(text: string | null): CanonicalJson {
  if (text === null) return 'null' as CanonicalJson;
  // Most strings are ids, hashes and words. For these, one test replaces the two steps below.
  if (PLAIN.test(text)) return `"${text}"` as CanonicalJson;
  if (!text.isWellFormed()) throw new TypeError('A lone surrogate has no canonical form');
  return JSON.stringify(text) as CanonicalJson;
}

/**
 * The library, like JSON.stringify, drops or converts values that are not JSON; two values would then share one hash.
 */
function assertJsonValue(root: unknown): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    switch (typeof value) {
      case 'string':
      case 'number':
      case 'boolean':
        continue;
      case 'object':
        break;
      default:
        throw new TypeError(`A value of type ${typeof value} has no canonical form`);
    }
    if (value === null) continue;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) open.push(value[index]);
      continue;
    }
    assertPlainObject(value);
    for (const property of Object.values(value)) open.push(property);
  }
}
