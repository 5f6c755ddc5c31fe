import { encodeBase64url, isPasskeyJwk, type PasskeyJwk } from '@permitry/protocol';

/** COSE algorithms (RFC 9053) for passkeys on this gate, most preferred first: ES256, EdDSA, RS256. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257];

/** Labels of a COSE_Key (RFC 9052 §7.1). The meaning of -1 to -3 depends on the kind of key. */
const KTY = 1;
const ALG = 3;
const OKP = 1;
const EC2 = 2;
const RSA = 3;

/**
 * Converts a COSE_Key to a JWK, for key files and checks outside WebAuthn. Undefined for another kind or algorithm.
 * @param key Decoded from CBOR.
 */
export function toPasskeyJwk(key: ReadonlyMap<number, unknown>): PasskeyJwk | undefined {
  const bytes = (label: number): string => {
    const value = key.get(label);
    return value instanceof Uint8Array ? encodeBase64url(value) : '';
  };
  const candidates: readonly [kty: number, alg: number, jwk: object][] = [
    [EC2, -7, { kty: 'EC', crv: key.get(-1) === 1 ? 'P-256' : '', x: bytes(-2), y: bytes(-3), alg: 'ES256' }],
    [OKP, -8, { kty: 'OKP', crv: key.get(-1) === 6 ? 'Ed25519' : '', x: bytes(-2), alg: 'EdDSA' }],
    [RSA, -257, { kty: 'RSA', n: bytes(-1), e: bytes(-2), alg: 'RS256' }],
  ];
  const jwk = candidates.find(([kty, alg]) => key.get(KTY) === kty && key.get(ALG) === alg)?.[2];
  return isPasskeyJwk(jwk) ? jwk : undefined;
}
