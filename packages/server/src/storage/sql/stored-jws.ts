/**
 * Stores one of our tokens in its column, a quarter shorter: the JSON texts of header and claims and the signature,
 * each on a line. JSON.stringify, which wrote both texts, breaks no line, so the token comes back to the last
 * character.
 */

/** @param token '' when it was erased. @throws when it does not have three segments */
export function toStoredJws(token: string): string {
  if (token === '') return '';
  const [header, claims, signature] = threeOf(token, '.');
  return `${decode(header)}\n${decode(claims)}\n${signature}`;
}

/** The inverse of `toStoredJws`. @throws for a text that it never wrote */
export function fromStoredJws(stored: string): string {
  if (stored === '') return '';
  const [header, claims, signature] = threeOf(stored, '\n');
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

/** The claims of a token that was not erased. @throws for a text that `toStoredJws` never wrote */
export function claimsOfStoredJws<T>(stored: string): T {
  return JSON.parse(threeOf(stored, '\n')[1]) as T;
}

function threeOf(text: string, between: '.' | '\n'): readonly [string, string, string] {
  const parts = text.split(between, 4);
  if (parts.length !== 3 || parts.includes('')) throw new Error('a token has three parts');
  return parts as [string, string, string];
}

function decode(segment: string): string {
  return Buffer.from(segment, 'base64url').toString();
}

function encode(json: string): string {
  return Buffer.from(json).toString('base64url');
}
