import type { Instant } from './instant.ts';

/**
 * `next`: published before it signs, so that a verifier with a cached JWKS never encounters an unknown key. `retired`:
 * no longer signs, still verifies. `compromised`: neither published nor trusted.
 */
export type SigningKeyState = 'next' | 'active' | 'retired' | 'compromised';

/** A key of the gate, without anything secret. The gate's keys sign for all its projects. */
export interface SigningKey {
  /** RFC 7638 thumbprint. */
  kid: string;
  state: SigningKeyState;
  /** When it was first published. */
  createdAt: Instant;
  /** When the key began to sign. Null for a key that never signed. */
  activatedAt: Instant | null;
  retiredAt: Instant | null;
  compromisedAt: Instant | null;
}

/** A change of the keys, for the audit log of every project. */
export interface SigningKeyChange {
  kind: 'rotated' | 'compromised';
  kid: string;
  at: Instant;
  by: 'operator' | 'schedule';
  /** For `rotated`: the key that signed before. For `compromised`: the key that signs now. */
  other: string | null;
}
