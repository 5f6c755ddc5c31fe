/** What an approver's own device signed, as a receipt carries it. This module checks the form and trusts nothing. */
import { decodeBase64url } from '../base64url.ts';
import { hasExactly, isShortText, type PropertyChecks } from '../properties.ts';
import { isProofTerms, type ProofTerms } from './proof-challenge.ts';

/** A WebAuthn assertion over the challenge of one intent, one decision and one approver. Bytes are base64url. */
export type PasskeyEvidence = {
  credential_id: string;
  /** The domain that the passkey belongs to. `authenticator_data` holds its hash. */
  rp_id: string;
  /** The page that asked for the signature. `client_data_json` holds it as well. */
  origin: string;
  /** With the receipt's `intent_hash` these terms make the challenge (see `proofChallenge`). */
  challenge: ProofTerms;
  authenticator_data: string;
  client_data_json: string;
  signature: string;
};

/** Bytes: the longest credential id of WebAuthn, the signature of a 4096-bit key, and room for extensions. */
const MOST_BYTES = { credentialId: 1023, authenticatorData: 1024, clientDataJson: 1024, signature: 512 };

const EVIDENCE_CHECKS: PropertyChecks<PasskeyEvidence> = {
  credential_id: isBytesUpTo(MOST_BYTES.credentialId),
  rp_id: isShortText,
  origin: isShortText,
  challenge: isProofTerms,
  authenticator_data: isBytesUpTo(MOST_BYTES.authenticatorData),
  client_data_json: isBytesUpTo(MOST_BYTES.clientDataJson),
  signature: isBytesUpTo(MOST_BYTES.signature),
};

/**
 * Whether a value has the form of passkey evidence: these members and no other, canonical base64url, bounded length.
 */
export function isPasskeyEvidence(value: unknown): value is PasskeyEvidence {
  return hasExactly(value, EVIDENCE_CHECKS);
}

function isBytesUpTo(most: number): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'string' &&
    value !== '' &&
    value.length <= Math.ceil((most * 4) / 3) &&
    decodeBase64url(value) !== undefined;
}
