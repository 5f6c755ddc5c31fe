/** Whether the spelling of a number in JSON is exactly the number that a double holds, so that no digit is lost. */

/** A decimal number: its digits without zeros at either end, and the power of ten of the first. Zero has no digits. */
interface Decimal {
  digits: string;
  power: number;
}

/**
 * Whether the spelling has exactly the decimal value of the double's shortest spelling (ECMAScript's `String`, RFC
 * 8785). A reader that keeps every digit, or rounds in another way, then sees the same number.
 *
 * Linear in the length of the spelling: compares digits as text and never expands the exponent.
 *
 * @param spelling A number in the grammar of JSON.
 * @param value `Number(spelling)`.
 * @example isExactly('1.50e2', 150) // true
 * @example isExactly('0.30000000000000004441', 0.30000000000000004) // false
 */
export function isExactly(spelling: string, value: number): boolean {
  const written = toDecimal(spelling);
  const shortest = toDecimal(String(value));
  return written.digits === shortest.digits && written.power === shortest.power;
}

/**
 * An exponent beyond 2^53 is not exact and need not be, because no text is long enough to make such a number a double.
 */
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
