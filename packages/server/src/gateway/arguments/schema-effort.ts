/**
 * Estimates from its text what compiling a schema costs, because a running compiler cannot be stopped. The unit is a
 * piece of generated code, which takes some tenths of a millisecond.
 */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { estimatePatternSize } from '../../gate/kernel/pattern-size.ts';
import { type CheckedNames, checkedNames } from './checked-names.ts';
import { isTooLargeToCompile } from './linear-reg-exp.ts';

/** Limit of one schema: half a second, and more parts than any tool that people wrote has. */
export const MOST_EFFORT = 1500;

/** Pattern instructions that take as long as one piece of code. */
const INSTRUCTIONS = 30;
/** List items per piece of code. Most lists hold words, and the code tests some of them one by one. */
const ITEMS = 10;
/** Member names recorded as checked, per piece of code. */
const NAMES = 50;
/** Copies per piece of code: each item added to a condition copies everything before it. */
const COPIES = 1500;

/** Counts everything that looks like a part, wherever it is: too much rather than too little. */
export function effortFor(schema: JsonObject): number {
  return ofValue(schema, checkedNames(schema));
}

function ofValue(schema: JsonValue, names: CheckedNames): number {
  if (typeof schema !== 'object' || schema === null) return 0;
  if (Array.isArray(schema))
    return schema.reduce((sum: number, item) => sum + ofValue(item, names), 1 + schema.length / ITEMS);
  let effort = 1 + names.writtenFor(schema) / NAMES;
  if (schema.unevaluatedProperties !== undefined) effort += ofOneCondition(names.countOf(schema));
  for (const [word, value] of Object.entries(schema)) {
    if (word === 'pattern' && typeof value === 'string') effort += ofPattern(value);
    else effort += ofValue(value, names);
    if (word === 'patternProperties') effort += ofPatterns(value);
    else if (word === 'dependentRequired' || word === 'dependencies') effort += ofDependencies(value);
  }
  return effort;
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
