import type { Instant } from './instant.ts';

/**
 * `next`: published before it signs, so that a verifier who keeps a copy of the JWKS for a while never meets a
 * stranger. `retired`: signs no more, still verifies. `compromised`: neither published nor believed.
 */
export type SigningKeyState = 'next' | 'active' | 'retired' | 'compromised';

/** A key of the gate, without anything secret. The gate's keys sign for all of its projects. */
export interface SigningKey {
  /** RFC 7638 thumbprint. */
  kid: string;
  state: SigningKeyState;
  /** Published since. */
  createdAt: Instant;
  /** Null for a key that never signed. */
  activatedAt: Instant | null;
  retiredAt: Instant | null;
  compromisedAt: Instant | null;
}

/** A change of the keys that is to stand in the audit log of every project. */
export interface SigningKeyChange {
  kind: 'rotated' | 'compromised';
  kid: string;
  at: Instant;
  by: 'operator' | 'schedule';
  /** `rotated`: the key that signed before. `compromised`: the key that signs now. */
  other: string | null;
}
