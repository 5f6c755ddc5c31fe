import type { ClientConfig } from 'pg';

/**
 * `bigint` and `numeric` as numbers, because our counts stay far below 2^53. Everything else is text, or an integer.
 */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);
const BOOLEAN = 16;

export const VALUE_TYPES = {
  getTypeParser(oid: number): (text: string) => unknown {
    if (NUMBERS.has(oid)) return toNumber;
    return oid === BOOLEAN ? (text) => (text === 't' ? 1 : 0) : (text) => text;
  },
} as NonNullable<ClientConfig['types']>;

function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Error('the database holds a number larger than can be counted exactly');
  }
  return value;
}
