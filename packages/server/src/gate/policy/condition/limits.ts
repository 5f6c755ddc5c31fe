/** What one condition may cost. A unit is about one step of evaluation: some tens of nanoseconds. */

/** Characters of an expression. */
export const MAX_EXPRESSION_LENGTH = 2_000;

/** Structure of an expression, as the parser counts it. */
export const EXPRESSION_LIMITS = {
  maxAstNodes: 500,
  maxDepth: 32,
  maxListElements: 200,
  maxMapEntries: 100,
  maxCallArguments: 4,
} as const;

/** Elements of a list, or members of a map, that `all`, `exists`, `exists_one`, `map` and `filter` walk. */
export const MAX_WALKED = 1_000;

/** Characters a text may have to be searched, compared by pattern or joined. */
export const MAX_TEXT_LENGTH = 65_536;

/** Characters of a regular expression, and instructions it compiles to. */
export const MAX_PATTERN_LENGTH = 200;
export const MAX_PATTERN_SIZE = 500;

/** Units all conditions of a policy may cost together for one request, and the most a single one is given. */
const UNITS_PER_REQUEST = 1_000_000;
const MAX_UNITS_PER_CONDITION = 20_000;

/**
 * The units each condition of a policy is given. They are shared out by number and not spent from one purse:
 * else the order of rules would decide which of them finds it empty.
 */
export function unitsPerCondition(conditions: number): number {
  return Math.min(MAX_UNITS_PER_CONDITION, Math.floor(UNITS_PER_REQUEST / Math.max(1, conditions)));
}
