import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@permitry/protocol';

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/** Makes the secret of a link, a ticket or a session: 256 random bits. The gate stores only the hash. */
export function makeSecretToken(): { token: string; tokenHash: string } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, tokenHash: sha256Hex(token) };
}

/** The hash for looking up a token. For text that is not a token, an empty string, which matches nothing. */
export function hashSecretToken(token: string): string {
  return TOKEN_FORM.test(token) ? sha256Hex(token) : '';
}
