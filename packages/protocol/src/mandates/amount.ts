/** Amounts that a mandate counts: whole millionths in a bigint, so that sums are exact. */

/** At most 12 digits before the point and 6 after it, without a sign or an exponent. */
const COUNTABLE = /^(\d{1,12})(?:\.(\d{1,6}))?$/;
const DECIMALS = 6;

/**
 * The number as millionths. Undefined for a number that no mandate counts: negative, or with more than 12 digits before
 * the point or 6 after it. The spelling in the request does not matter, only the double that was hashed.
 *
 * @example toMillionths(12.5) // 12_500_000n
 * @example toMillionths(-1) // undefined
 */
export function toMillionths(amount: number): bigint | undefined {
  // ECMAScript spells a double within these limits without an exponent, and -0 as 0.
  const match = COUNTABLE.exec(String(amount));
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/**
 * The decimal text of an amount, without zeros at the end.
 *
 * @param millionths At least 0.
 * @example formatMillionths(12_500_000n) // '12.5'
 */
export function formatMillionths(millionths: bigint): string {
  const digits = millionths.toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  const whole = digits.slice(0, -DECIMALS);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
