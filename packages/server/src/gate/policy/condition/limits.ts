/** Limits on the cost of one condition. A unit is about one step of evaluation, some tens of nanoseconds. */

/** Maximum characters of an expression. */
export const MAX_EXPRESSION_LENGTH = 2_000;

/** Maximum structure of an expression, as the parser counts it. */
export const EXPRESSION_LIMITS = {
  maxAstNodes: 500,
  maxDepth: 32,
  maxListElements: 200,
  maxMapEntries: 100,
  maxCallArguments: 4,
} as const;

/** Maximum elements of a list, or members of a map, that `all`, `exists`, `exists_one`, `map` and `filter` walk. */
export const MAX_WALKED = 1_000;

/** Maximum characters of a text to be searched, matched or joined. */
export const MAX_TEXT_LENGTH = 65_536;

/** Maximum characters of a regular expression, and maximum instructions of the compiled one. */
export const MAX_PATTERN_LENGTH = 200;
export const MAX_PATTERN_SIZE = 500;

/** For one request: the most units that all conditions of a policy may cost together, and the most for a single one. */
const UNITS_PER_REQUEST = 1_000_000;
const MAX_UNITS_PER_CONDITION = 20_000;

/**
 * The units for each condition of a policy: an equal share and not a common pool. With a pool, the order of rules would
 * decide which condition runs out of units.
 */
export function unitsPerCondition(conditions: number): number {
  return Math.min(MAX_UNITS_PER_CONDITION, Math.floor(UNITS_PER_REQUEST / Math.max(1, conditions)));
}
