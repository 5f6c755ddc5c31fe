import { encodeBase64url } from '../base64url.ts';
import { canonicalJson } from '../canonical-json.ts';
import { hasExactly, isEpochSeconds, isOneOf, isShortText, type PropertyChecks } from '../properties.ts';
import { sha256Hex } from '../sha256.ts';

/** What an approver signs, beside the hash of the intent itself. */
export type ProofTerms = {
  decision: 'approve' | 'deny';
  /** The approver's e-mail address, character for character as it stands in `approvals[].by`. */
  approver: string;
  /** 16 random bytes, base64url: no two challenges are the same. */
  nonce: string;
  /** Seconds since the epoch: the decision has to fall before. */
  exp: number;
};

const TERM_CHECKS: PropertyChecks<ProofTerms> = {
  decision: isOneOf(['approve', 'deny']),
  approver: isShortText,
  nonce: isShortText,
  exp: isEpochSeconds,
};

/** Whether a value has the form of them, and no member more. */
export function isProofTerms(value: unknown): value is ProofTerms {
  return hasExactly(value, TERM_CHECKS);
}

/** The members that are hashed, by these names. */
export interface ProofChallengeInput extends ProofTerms {
  /** `sha256:` and 64 hexadecimal digits: everything an approver is shown (see `intentHash`). */
  intent_hash: string;
}

/**
 * The challenge that an approver's device signs: SHA-256 over the canonical text (RFC 8785) of
 * `{ approver, decision, exp, intent_hash, nonce }`, 32 bytes as base64url. In WebAuthn it is the challenge handed to
 * the authenticator, and so it stands in `clientDataJSON.challenge` in this very form. Whoever has these five values
 * can compute it again, without asking the gate.
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
  // Named one by one, so that a member more on the object handed in cannot change the hash.
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
