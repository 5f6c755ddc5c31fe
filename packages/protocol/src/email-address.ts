/**
 * An address in the spelling by which people are compared: ASCII letters in lower case, everything else as it is. Full
 * Unicode case folding would make one person of two: it turns the Kelvin sign (U+212A) into `k`.
 *
 * @example foldEmailAddress('Kate@Example.org') // 'kate@example.org'
 */
export function foldEmailAddress(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
