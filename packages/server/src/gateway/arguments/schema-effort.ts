/**
 * What compiling a schema takes, told beforehand by what stands in it, for nobody can stop a compiler on its way: in the
 * pieces that a program is written for, each some tenths of a millisecond.
 */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { estimatePatternSize } from '../../gate/kernel/pattern-size.ts';
import { type CheckedNames, checkedNames } from './checked-names.ts';
import { isTooLargeToCompile } from './linear-reg-exp.ts';

/** Of one schema: half a second, and as many parts as stand in no tool that people wrote. */
export const MOST_EFFORT = 1500;

/** Instructions of a pattern that take as long as one piece of program. */
const INSTRUCTIONS = 30;
/** What lists hold, mostly words: of some a program asks one by one. */
const ITEMS = 10;
/** Members that a program writes down as checked. */
const NAMES = 50;
/** Of what is put into one condition, for each what stands before is copied: so many copies. */
const COPIES = 1500;

/** Counts whatever looks like a part, wherever it stands: rather too much than too little. */
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

/** One that is too large is compiled by nobody. */
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
