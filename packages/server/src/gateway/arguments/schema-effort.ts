/**
 * Estimates the cost of compiling a schema from its text, because a running compiler cannot be stopped. The unit is a
 * piece of generated code, which takes some tenths of a millisecond.
 */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { estimatePatternSize } from '../../gate/kernel/pattern-size.ts';
import { isTooLargeToCompile } from './linear-reg-exp.ts';

/** The limit for one schema: half a second, and more parts than a tool written by people has. */
export const MOST_EFFORT = 1500;

/** Pattern instructions that take as long as one piece of code. */
const INSTRUCTIONS = 30;
/** List items per piece of code. Most lists contain words, and the generated code tests some lists item by item. */
const ITEMS = 10;
/** Member names recorded as checked, per piece of code. */
const NAMES = 50;
/** Copies per piece of code: each item added to a condition copies everything before it. */
const COPIES = 1500;

/** Keywords whose schemas apply to the same value, so that the member names checked by each schema are merged. */
const IN_PLACE = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
] as const;

/**
 * Counts everything that looks like a part, anywhere in the schema. Too high an estimate is better than too low a one.
 */
export function effortFor(schema: JsonObject): number {
  return ofValue(schema, asksWhatWasChecked(schema) ? countNames(schema) : 0);
}

/** Whether the generated code has to record which members and items were checked. */
export function asksWhatWasChecked(schema: JsonObject): boolean {
  return JSON.stringify(schema).includes('"unevaluated');
}

/**
 * @param names The number of member names in the whole schema. The code may list all of them wherever schemas are
 * merged.
 */
function ofValue(schema: JsonValue, names: number): number {
  if (typeof schema !== 'object' || schema === null) return 0;
  if (Array.isArray(schema))
    return schema.reduce((sum: number, item) => sum + ofValue(item, names), 1 + schema.length / ITEMS);
  const parts = IN_PLACE.reduce((sum, word) => sum + countOf(schema[word]), 0);
  let effort = 1 + (parts * names) / NAMES;
  if (schema.unevaluatedProperties !== undefined)
    effort += ofOneCondition(parts > 0 ? names : countOf(schema.properties));
  for (const [word, value] of Object.entries(schema)) {
    if (word === 'pattern' && typeof value === 'string') effort += ofPattern(value);
    else effort += ofValue(value, names);
    if (word === 'patternProperties') effort += ofPatterns(value);
    else if (word === 'dependentRequired' || word === 'dependencies') effort += ofDependencies(value);
  }
  return effort;
}

function countNames(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : countOf(value.properties);
  return Object.values(value).reduce<number>((sum, item) => sum + countNames(item), own);
}

/** How many schemas a keyword contains. A reference counts as one. */
function countOf(value: JsonValue | undefined): number {
  if (value === undefined) return 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
}

function ofPatterns(value: JsonValue): number {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return names.reduce((sum, name) => sum + ofPattern(name), ofOneCondition(names.length));
}

/** A pattern that is too large is never compiled. */
function ofPattern(source: string): number {
  return isTooLargeToCompile(source) ? 0 : estimatePatternSize(source) / INSTRUCTIONS;
}

function ofDependencies(value: JsonValue): number {
  const lists = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return lists.reduce<number>(
    (sum, list) => sum + (Array.isArray(list) ? ofOneCondition(list.length) : 0),
    0,
  );
}

function ofOneCondition(count: number): number {
  return count ** 2 / COPIES;
}
