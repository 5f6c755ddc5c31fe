/** The public keys of passkeys, as JWK (RFC 7517), and the check of their signatures. */
import { decodeBase64url } from '../base64url.ts';
import { hasExactly, isOneOf, type PropertyChecks } from '../properties.ts';
import { derToConcat } from './der-signature.ts';

interface EcPasskeyJwk {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  alg: 'ES256';
}

interface RsaPasskeyJwk {
  kty: 'RSA';
  n: string;
  e: string;
  alg: 'RS256';
}

/** RFC 8037. */
interface EdPasskeyJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  alg: 'EdDSA';
}

/** Exactly these members, so a key file can bring neither a private key nor a hint where to fetch another. */
export type PasskeyJwk = EcPasskeyJwk | RsaPasskeyJwk | EdPasskeyJwk;

const isThirtyTwoBytes = (value: unknown): boolean =>
  typeof value === 'string' && value.length === 43 && decodeBase64url(value) !== undefined;
const isBytes = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= 1400 && decodeBase64url(value) !== undefined;

/** 2048 bits, without leading zeros. */
const SHORTEST_MODULUS_BYTES = 256;

const EC_CHECKS: PropertyChecks<EcPasskeyJwk> = {
  kty: isOneOf(['EC']),
  crv: isOneOf(['P-256']),
  x: isThirtyTwoBytes,
  y: isThirtyTwoBytes,
  alg: isOneOf(['ES256']),
};
const RSA_CHECKS: PropertyChecks<RsaPasskeyJwk> = {
  kty: isOneOf(['RSA']),
  n: (value) => isBytes(value) && (decodeBase64url(value as string) ?? []).length >= SHORTEST_MODULUS_BYTES,
  e: isBytes,
  alg: isOneOf(['RS256']),
};
const ED_CHECKS: PropertyChecks<EdPasskeyJwk> = {
  kty: isOneOf(['OKP']),
  crv: isOneOf(['Ed25519']),
  x: isThirtyTwoBytes,
  alg: isOneOf(['EdDSA']),
};

/** Whether a value has the form of a passkey's public key: ES256, RS256 (at least 2048 bits) or EdDSA (Ed25519). */
export function isPasskeyJwk(value: unknown): value is PasskeyJwk {
  return hasExactly(value, EC_CHECKS) || hasExactly(value, RSA_CHECKS) || hasExactly(value, ED_CHECKS);
}

interface Algorithm {
  import: { name: string; namedCurve?: string; hash?: string };
  verify: { name: string; hash?: string };
}

const ALGORITHMS: Record<PasskeyJwk['alg'], Algorithm> = {
  ES256: { import: { name: 'ECDSA', namedCurve: 'P-256' }, verify: { name: 'ECDSA', hash: 'SHA-256' } },
  RS256: { import: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, verify: { name: 'RSASSA-PKCS1-v1_5' } },
  EdDSA: { import: { name: 'Ed25519' }, verify: { name: 'Ed25519' } },
};

/**
 * Whether this key signed these bytes, by Web Crypto. ECDSA signatures come in DER, as authenticators write them
 * (WebAuthn §6.5.5). A value that is not a key gives false.
 */
export async function verifyPasskeySignature(
  jwk: PasskeyJwk,
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { alg, ...parameters } = jwk;
  const algorithm = ALGORITHMS[alg];
  const raw = alg === 'ES256' ? derToConcat(signature) : signature;
  if (raw === undefined) return false;
  try {
    const { subtle } = globalThis.crypto;
    const key = await subtle.importKey('jwk', { ...parameters }, algorithm.import, false, ['verify']);
    return await subtle.verify(algorithm.verify, key, raw, data);
  } catch {
    return false;
  }
}
