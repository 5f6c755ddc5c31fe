import { type CryptoKey, compactVerify, importJWK } from 'jose';
import type { PublicJwk, PublicJwks } from './public-jwk.ts';

/** What a verifier needs of a decoded token. */
interface SignedText {
  header: { kid: string };
  signingInput: string;
  signature: string;
}

const importedKeys = new WeakMap<PublicJwk, CryptoKey | Uint8Array>();

/**
 * Whether a key of this set signed the token (ES256, RFC 7518 §3.4). The key is looked up by `kid` in the set given
 * and nowhere else. Decode the token first: its form is not looked at here.
 */
export async function verifyJws(
  token: SignedText,
  jwks: PublicJwks,
): Promise<'verified' | 'unknown_key' | 'tampered'> {
  const jwk = jwks.keys.find((key) => key.kid === token.header.kid);
  if (jwk === undefined) return 'unknown_key';
  const key = await importKey(jwk);
  if (key === undefined) return 'unknown_key';
  try {
    await compactVerify(`${token.signingInput}.${token.signature}`, key, { algorithms: ['ES256'] });
    return 'verified';
  } catch {
    return 'tampered';
  }
}

async function importKey(jwk: PublicJwk): Promise<CryptoKey | Uint8Array | undefined> {
  const known = importedKeys.get(jwk);
  if (known !== undefined) return known;
  try {
    const { kty, crv, x, y } = jwk;
    const key = await importJWK({ kty, crv, x, y }, 'ES256');
    importedKeys.set(jwk, key);
    return key;
  } catch {
    return undefined;
  }
}
