/**
 * What compiling a schema takes, told beforehand by what stands in it, for nobody can stop a compiler on its way: in the
 * pieces that a program is written for, each some tenths of a millisecond.
 */
import type { JsonValue } from '@permitry/protocol';
import { estimatePatternSize } from '../../gate/pattern-size.ts';
import { isTooLargeToCompile } from './linear-reg-exp.ts';

/** Of one schema: half a second, and as many parts as stand in no tool that people wrote. */
export const MOST_EFFORT = 1500;

/** Instructions of a pattern that take as long as one piece of program. */
const INSTRUCTIONS = 30;
/** What lists hold, mostly words: of some a program asks one by one. */
const ITEMS = 10;

/** Counts whatever looks like a part, wherever it stands: rather too much than too little. */
export function effortFor(schema: JsonValue): number {
  if (typeof schema !== 'object' || schema === null) return 0;
  if (Array.isArray(schema))
    return schema.reduce((sum: number, item) => sum + effortFor(item), 1 + schema.length / ITEMS);
  let effort = 1;
  for (const [word, value] of Object.entries(schema)) {
    if (word === 'pattern' && typeof value === 'string') effort += ofPattern(value);
    else if (word === 'patternProperties') effort += ofPatterns(value) + effortFor(value);
    else effort += effortFor(value);
  }
  return effort;
}

function ofPatterns(value: JsonValue): number {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return names.reduce((sum, name) => sum + ofPattern(name), 0);
}

/** One that is too large is compiled by nobody. */
function ofPattern(source: string): number {
  return isTooLargeToCompile(source) ? 0 : estimatePatternSize(source) / INSTRUCTIONS;
}
