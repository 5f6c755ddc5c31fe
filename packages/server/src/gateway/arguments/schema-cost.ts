/**
 * What holding a value against a schema may cost, told beforehand: schemas that refer to themselves in several places
 * double their work with every level of the value, and nobody can stop a validator on its way.
 */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { assertPointersAreOfRoot, followRef } from './follow-ref.ts';

export interface Extent {
  /** Levels of objects and arrays within one another. */
  depth: number;
  /** Values of all kinds, and members' names. */
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

/** Beyond, nobody asks how much more. */
const ENDLESS = 1e12;
const BEING_WEIGHED = -1;

/** Schemas that apply to the very value their parent applies to. */
const IN_PLACE = ['not', 'if', 'then', 'else'] as const;
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const IN_PLACE_BY_NAME = ['dependentSchemas', 'dependencies'] as const;
/** Schemas that apply to a member or item; of those by name one applies to a member, of patterns all may. */
const BELOW = [
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'additionalItems',
  'unevaluatedItems',
  'contains',
] as const;
/** Words whose cost grows with what they list. */
const LISTING = ['enum', 'required'] as const;
/**
 * Words by which a schema is found elsewhere than by its place in this document; and Ajv's own by which it answers with a
 * promise, which looks like "fits" and brings the gate down when it does not.
 */
const NOT_FOLLOWED = ['$dynamicRef', '$recursiveRef', '$async'];
/** As deep as any body may be. */
const DEEPEST = 64;

/**
 * How many evaluations a value of some extent may cost, at most.
 *
 * @throws Error for a schema that refers to another document, or by a name
 */
export function costOf(root: JsonObject): (extent: Extent) => number {
  const costs = new Map<JsonObject, number[]>();

  function cost(schema: JsonValue | undefined, depth: number): number {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      return schema === undefined ? 0 : 1;
    const byDepth = costs.get(schema) ?? [];
    costs.set(schema, byDepth);
    const known = byDepth[depth];
    // The same schema for the same value once more: it would never end.
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

  // Told at once of what cannot be followed, and not when somebody calls.
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
