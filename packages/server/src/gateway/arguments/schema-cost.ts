/**
 * Bounds in advance what checking a value against a schema costs. A schema that refers to itself in several places
 * doubles the work with every level of the value. A running validator cannot be stopped.
 */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { assertPointersAreOfRoot, followRef } from './follow-ref.ts';

export interface Extent {
  /** Nesting depth of objects and arrays. */
  depth: number;
  /** Number of values of all kinds, plus member names. */
  nodes: number;
}

export function measure(value: JsonValue): Extent {
  if (typeof value !== 'object' || value === null) return { depth: 0, nodes: 1 };
  let depth = 0;
  let nodes = 1;
  for (const item of Object.values(value)) {
    const inner = measure(item);
    depth = Math.max(depth, inner.depth);
    nodes += inner.nodes + 1;
  }
  return { depth: depth + 1, nodes };
}

/** The largest cost that is computed. Any larger cost counts as this one. */
const ENDLESS = 1e12;
const BEING_WEIGHED = -1;

/** Schemas that apply to the same value as their parent. */
const IN_PLACE = ['not', 'if', 'then', 'else'] as const;
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const IN_PLACE_BY_NAME = ['dependentSchemas', 'dependencies'] as const;
/**
 * Schemas that apply to a member or item. At most one of `properties` applies to a member, but all of
 * `patternProperties` may.
 */
const BELOW = [
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'additionalItems',
  'unevaluatedItems',
  'contains',
] as const;
/** Keywords whose cost grows with the length of their lists. */
const LISTING = ['enum', 'required'] as const;
/**
 * Keywords that refer to a schema by something other than its place in this document. `$async` is Ajv's own: the validator then
 * returns a promise, which looks like "valid" and crashes the gate when it rejects.
 */
const NOT_FOLLOWED = ['$dynamicRef', '$recursiveRef', '$async'];
/** The depth limit of request bodies. */
const DEEPEST = 64;

/**
 * Returns a function that bounds the evaluations for a value of some extent.
 *
 * @throws Error for a schema that refers to another document, or to a part by its name
 */
export function costOf(root: JsonObject): (extent: Extent) => number {
  const costs = new Map<JsonObject, number[]>();

  function cost(schema: JsonValue | undefined, depth: number): number {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      return schema === undefined ? 0 : 1;
    const byDepth = costs.get(schema) ?? [];
    costs.set(schema, byDepth);
    const known = byDepth[depth];
    // The same schema applies again to the same value, so the evaluation would never end.
    if (known === BEING_WEIGHED) throw new Error('the schema refers to itself in the same place');
    if (known !== undefined) return known;
    byDepth[depth] = BEING_WEIGHED;
    const below = depth > 0 ? belowCost(schema, depth - 1) : 0;
    const total = Math.min(ownCost(schema) + inPlaceCost(schema, depth) + below, ENDLESS);
    byDepth[depth] = total;
    return total;
  }

  function inPlaceCost(schema: JsonObject, depth: number): number {
    let sum = 0;
    for (const word of IN_PLACE) sum += cost(schema[word], depth);
    for (const word of IN_PLACE_LISTS) for (const item of listOf(schema[word])) sum += cost(item, depth);
    for (const word of IN_PLACE_BY_NAME)
      for (const item of propertiesOf(schema[word])) sum += cost(item, depth);
    if (typeof schema.$ref === 'string') sum += cost(followRef(root, schema.$ref), depth);
    return sum;
  }

  function belowCost(schema: JsonObject, depth: number): number {
    let sum = 0;
    for (const word of BELOW) sum += cost(schema[word], depth);
    for (const item of propertiesOf(schema.patternProperties)) sum += cost(item, depth);
    let ofOne = 0;
    const { items } = schema;
    const subschemas = [...propertiesOf(schema.properties), ...listOf(schema.prefixItems), ...listOf(items)];
    for (const item of subschemas) ofOne = Math.max(ofOne, cost(item, depth));
    return sum + ofOne + (Array.isArray(items) ? 0 : cost(items, depth));
  }

  // Refuses unsupported references before the returned function is first called.
  assertPointersAreOfRoot(root);
  cost(root, DEEPEST);
  return ({ depth, nodes }) => {
    let deepest = 0;
    for (let level = 0; level <= depth && deepest < ENDLESS; level += 1) deepest = cost(root, level);
    return deepest * nodes;
  };
}

function ownCost(schema: JsonObject): number {
  const words = Object.keys(schema);
  const strange = words.find((word) => NOT_FOLLOWED.includes(word));
  if (strange) throw new Error(`${strange} is not followed`);
  return LISTING.reduce((sum, word) => sum + listOf(schema[word]).length, 1 + words.length / 8);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function propertiesOf(value: JsonValue | undefined): readonly JsonValue[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.values(value) : [];
}
