/**
 * Which members of a value a schema names, counted: for `unevaluatedProperties` a program remembers what was checked, and
 * wherever one of several schemas may have fitted, all that it names is written down once more.
 */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { followRef } from './follow-ref.ts';

export interface CheckedNames {
  /** How many names one schema checks, with those that apply to the same value; at most all there are. */
  countOf(schema: JsonObject): number;
  /** How many are written down where the schemas that apply to its value come together. */
  writtenFor(schema: JsonObject): number;
}

const CHOICES = ['anyOf', 'oneOf'] as const;
const CONDITIONS = ['if', 'then', 'else'] as const;
const BY_NAME = ['dependentSchemas', 'dependencies'] as const;

export function checkedNames(root: JsonObject): CheckedNames {
  const counts = new Map<JsonObject, number>();
  const most = allNames(root);

  function countOf(schema: JsonObject): number {
    const known = counts.get(schema);
    if (known !== undefined) return known;
    // For a schema that comes to itself again; whoever compiles refuses it.
    counts.set(schema, most);
    const own = propertiesOf(schema.properties).length;
    const { chosen, always } = inPlace(schema);
    const count = Math.min(
      most,
      [...chosen, ...always].reduce((sum, part) => sum + countOf(part), own),
    );
    counts.set(schema, count);
    return count;
  }

  function inPlace(schema: JsonObject): { chosen: readonly JsonObject[]; always: readonly JsonObject[] } {
    const chosen = [
      ...CHOICES.flatMap((word) => listOf(schema[word])),
      ...CONDITIONS.map((word) => schema[word]),
      ...BY_NAME.flatMap((word) => propertiesOf(schema[word])),
    ];
    const always = [...listOf(schema.allOf), find(schema.$ref)];
    return { chosen: chosen.filter(isSchema), always: always.filter(isSchema) };
  }

  function find(ref: JsonValue | undefined): JsonValue | undefined {
    try {
      return typeof ref === 'string' ? followRef(root, ref) : undefined;
    } catch {
      // Refused where it is followed.
      return undefined;
    }
  }

  return {
    countOf,
    writtenFor(schema) {
      const { chosen, always } = inPlace(schema);
      // One that stands alone hands on what it checked as it is.
      const isAlone = chosen.length === 0 && always.length === 1 && schema.properties === undefined;
      return [...chosen, ...(isAlone ? [] : always)].reduce((sum, part) => sum + countOf(part), 0);
    },
  };
}

function allNames(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : propertiesOf(value.properties).length;
  return Object.values(value).reduce<number>((sum, item) => sum + allNames(item), own);
}

function isSchema(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function propertiesOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isSchema(value) ? Object.values(value) : [];
}
