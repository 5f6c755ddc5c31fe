import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@permitry/protocol';

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/** What a link, a ticket or a session is presented by: 256 random bits, of which only the hash is kept. */
export function makeSecretToken(): { token: string; tokenHash: string } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, tokenHash: sha256Hex(token) };
}

/** By which it is looked up; of anything that is no token, the hash of nothing that was ever kept. */
export function hashSecretToken(token: string): string {
  return TOKEN_FORM.test(token) ? sha256Hex(token) : '';
}
