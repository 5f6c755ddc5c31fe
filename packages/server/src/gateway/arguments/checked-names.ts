/**
 * Counts the members of a value that a schema names. For `unevaluatedProperties` the generated code records which
 * members were checked. Wherever one of several schemas may have matched, it records all their names again.
 */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { followRef } from './follow-ref.ts';

export interface CheckedNames {
  /**
   * How many names one schema checks, including schemas that apply to the same value; at most all names there are.
   */
  countOf(schema: JsonObject): number;
  /** How many names are recorded where the schemas for its value come together. */
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
    // Ends the recursion for a schema that reaches itself. Compiling refuses such a schema.
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
      // Refused where the reference is followed.
      return undefined;
    }
  }

  return {
    countOf,
    writtenFor(schema) {
      const { chosen, always } = inPlace(schema);
      // A single schema passes on its record without copying it.
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
