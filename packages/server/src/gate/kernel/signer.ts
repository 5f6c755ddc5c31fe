import type { PublicJwk } from '@permitry/protocol';
import type { SigningKey } from './signing-key.ts';

/** How long a verifier may keep a copy of the key set, as `/.well-known/jwks.json` says. */
export const JWKS_MAX_AGE_SECONDS = 300;

/** Signs with keys it never shows. Behind it: files, or a hardware module. */
export interface Signer {
  /** The key that signs now. */
  readonly current: { kid: string; alg: 'ES256' };
  /**
   * Signature over the ASCII of `signingInput` by key `kid`: 64 bytes r‖s (RFC 7518 §3.4), base64url. Rejects with
   * `service_unavailable` when the key cannot be used at the moment.
   */
  sign(kid: string, signingInput: string): Promise<string>;
  /** False for a wrong signature and for an unknown key. `signature` is base64url. */
  verify(kid: string, signingInput: string, signature: string): Promise<boolean>;
  /** Undefined for a key that is unknown, or was compromised. */
  publicKey(kid: string): PublicJwk | undefined;
  /** Next, active and retired keys: all that a verifier may meet. */
  publicKeys(): readonly PublicJwk[];
  /** Every key there ever was, the compromised among them; oldest first. */
  keys(): readonly SigningKey[];
  /** Learns what others who sign with the same keys did to them; to be asked before a key counts as unknown. */
  refresh(): Promise<void>;
  /** Rejects with `service_unavailable` while the key that signs cannot be used. */
  assertCanSign(): Promise<void>;
}
