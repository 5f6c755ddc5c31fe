import { decodeBase64url } from './base64url.ts';
import type { PublicJwk, PublicJwks } from './public-jwk.ts';

/** The parts of a decoded token that verification needs. */
interface SignedText {
  header: { kid: string };
  signingInput: string;
  signature: string;
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const importedKeys = new WeakMap<PublicJwk, CryptoKey>();
const P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const ES256 = { name: 'ECDSA', hash: 'SHA-256' };
const encoder = new TextEncoder();

/**
 * Whether a key of this set signed the token (ES256, RFC 7518 §3.4). Looks up the key by `kid` in the given set and
 * nowhere else. Decode the token first, because this does not check its form.
 */
export async function verifyJws(
  token: SignedText,
  jwks: PublicJwks,
): Promise<'verified' | 'unknown_key' | 'tampered'> {
  const jwk = jwks.keys.find((key) => key.kid === token.header.kid);
  if (jwk === undefined) return 'unknown_key';
  const key = await importKey(jwk);
  if (key === undefined) return 'unknown_key';
  const signature = decodeBase64url(token.signature);
  if (signature === undefined) return 'tampered';
  try {
    const isGood = await crypto.subtle.verify(ES256, key, signature, encoder.encode(token.signingInput));
    return isGood ? 'verified' : 'tampered';
  } catch {
    return 'tampered';
  }
}

async function importKey(jwk: PublicJwk): Promise<CryptoKey | undefined> {
  const known = importedKeys.get(jwk);
  if (known !== undefined) return known;
  try {
    const { kty, crv, x, y } = jwk;
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, P256, false, ['verify']);
    importedKeys.set(jwk, key);
    return key;
  } catch {
    return undefined;
  }
}
