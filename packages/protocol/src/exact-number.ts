/** Whether a number as it is spelled in JSON is the number that a double holds: no digit may get lost on the way. */

/** A decimal number as its digits, without zeros at either end, and the power of ten of the first. Zero has none. */
interface Decimal {
  digits: string;
  power: number;
}

/**
 * Whether the spelling has exactly the decimal value of the double's shortest spelling (ECMAScript's `String`, RFC 8785).
 * Another reader that keeps every digit, or that rounds in another way, then sees the same number.
 *
 * Linear in the length of the spelling: digits are compared as text, and the exponent is never expanded.
 *
 * @param spelling A number by the grammar of JSON.
 * @param value `Number(spelling)`.
 * @example isExactly('1.50e2', 150) // true
 * @example isExactly('0.30000000000000004441', 0.30000000000000004) // false
 */
export function isExactly(spelling: string, value: number): boolean {
  const written = toDecimal(spelling);
  const shortest = toDecimal(String(value));
  return written.digits === shortest.digits && written.power === shortest.power;
}

/** An exponent beyond 2^53 is not exact, and need not be: no text is long enough for such a number to be a double. */
function toDecimal(spelling: string): Decimal {
  const [mantissa = '', exponent = '0'] = spelling.split(/e/i, 2);
  const [whole = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.', 2);
  const all = whole + fraction;
  let first = 0;
  while (all[first] === '0') first += 1;
  let end = all.length;
  while (end > first && all[end - 1] === '0') end -= 1;
  if (first === end) return { digits: '', power: 0 };
  return { digits: all.slice(first, end), power: whole.length - first + Number(exponent) };
}
