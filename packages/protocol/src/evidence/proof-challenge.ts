import { encodeBase64url } from '../base64url.ts';
import { canonicalJson } from '../canonical-json.ts';
import { hasExactly, isEpochSeconds, isOneOf, isShortText, type PropertyChecks } from '../properties.ts';
import { sha256Hex } from '../sha256.ts';

/** What an approver signs in addition to the hash of the intent. */
export type ProofTerms = {
  decision: 'approve' | 'deny';
  /** The approver's email address, exactly as in `approvals[].by`. */
  approver: string;
  /** 16 random bytes, base64url, so that no two challenges are the same. */
  nonce: string;
  /** Seconds since the epoch. The decision must come before this time. */
  exp: number;
};

const TERM_CHECKS: PropertyChecks<ProofTerms> = {
  decision: isOneOf(['approve', 'deny']),
  approver: isShortText,
  nonce: isShortText,
  exp: isEpochSeconds,
};

/** Whether a value has exactly the members of proof terms, each of its form. */
export function isProofTerms(value: unknown): value is ProofTerms {
  return hasExactly(value, TERM_CHECKS);
}

/** The members that are hashed, by these names. */
export interface ProofChallengeInput extends ProofTerms {
  /** `sha256:` and 64 hexadecimal digits. Covers everything that an approver is shown (see `intentHash`). */
  intent_hash: string;
}

/**
 * The challenge that an approver's device signs: SHA-256 over the canonical text (RFC 8785) of `{ approver, decision,
 * exp, intent_hash, nonce }`, 32 bytes as base64url. In WebAuthn it is the challenge given to the authenticator, so
 * `clientDataJSON.challenge` holds it in exactly this form. Anyone who has these five values can compute it again
 * without the gate.
 *
 * @throws TypeError when a text holds a lone surrogate.
 * @example
 * proofChallenge({
 *   intent_hash: 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
 *   decision: 'approve',
 *   approver: 'ana@example.org',
 *   nonce: 'AAECAwQFBgcICQoLDA0ODw',
 *   exp: 1_795_176_000,
 * }); // 'NBOFSCuvm4VZkYRWHjI-fLekKvbyZbvam3ugMi-pdqQ'
 */
export function proofChallenge(input: ProofChallengeInput): string {
  // Named one by one, so that an extra member of the object passed in cannot change the hash.
  const { intent_hash, decision, approver, nonce, exp } = input;
  return encodeBase64url(
    hexToBytes(sha256Hex(canonicalJson({ intent_hash, decision, approver, nonce, exp }))),
  );
}

function hexToBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
}
