import type { PublicJwk } from '@permitry/protocol';
import type { SigningKey } from './signing-key.ts';

/** How long a verifier may cache the key set that `/.well-known/jwks.json` serves. */
export const JWKS_MAX_AGE_SECONDS = 300;

/** Signs with keys that it never reveals. Files or a hardware module store the keys. */
export interface Signer {
  /** The key that signs now. */
  readonly current: { kid: string; alg: 'ES256' };
  /**
   * Signs the ASCII of `signingInput` with key `kid`: 64 bytes r‖s (RFC 7518 §3.4), base64url. Rejects with
   * `service_unavailable` when the key cannot be used at the moment.
   */
  sign(kid: string, signingInput: string): Promise<string>;
  /** False for a wrong signature and for an unknown key. `signature` is base64url. */
  verify(kid: string, signingInput: string, signature: string): Promise<boolean>;
  /** Undefined for a key that is unknown or compromised. */
  publicKey(kid: string): PublicJwk | undefined;
  /** Next, active and retired keys: every key that a verifier may encounter. */
  publicKeys(): readonly PublicJwk[];
  /** Every key that ever existed, including compromised ones, oldest first. */
  keys(): readonly SigningKey[];
  /** Reads changes that other processes made to the same keys. Call it before treating a key as unknown. */
  refresh(): Promise<void>;
  /** Rejects with `service_unavailable` while the key that signs cannot be used. */
  assertCanSign(): Promise<void>;
}
