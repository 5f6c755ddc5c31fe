import { createPublicKey } from 'node:crypto';
import type { PublicJwk } from '@permitry/protocol';

/** The key as SubjectPublicKeyInfo in PEM (RFC 7468), for verifiers that do not read JWK. */
export function toPublicKeyPem(jwk: PublicJwk): string {
  return String(createPublicKey({ key: { ...jwk }, format: 'jwk' }).export({ type: 'spki', format: 'pem' }));
}
