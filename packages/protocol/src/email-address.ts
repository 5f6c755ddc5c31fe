/**
 * The spelling of an address by which people are compared: ASCII letters in lower case, everything else unchanged. Full
 * Unicode case folding could merge two people, because it turns the Kelvin sign (U+212A) into `k`.
 *
 * @example foldEmailAddress('Kate@Example.org') // 'kate@example.org'
 */
export function foldEmailAddress(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
