/** What an approver's own device signed, as it travels in a receipt. Its form is checked here, nothing is believed. */
import { decodeBase64url } from '../base64url.ts';
import { hasExactly, isShortText, type PropertyChecks } from '../properties.ts';
import { isProofTerms, type ProofTerms } from './proof-challenge.ts';

/** A WebAuthn assertion over the challenge of one intent, one decision and one approver. Bytes are base64url. */
export type PasskeyEvidence = {
  credential_id: string;
  /** The domain the passkey belongs to; its hash stands in `authenticator_data`. */
  rp_id: string;
  /** The page that asked; it stands in `client_data_json` as well. */
  origin: string;
  /** With the receipt's `intent_hash` these make the challenge (see `proofChallenge`). */
  challenge: ProofTerms;
  authenticator_data: string;
  client_data_json: string;
  signature: string;
};

/** Bytes. The longest credential id of WebAuthn; the signature of a 4096-bit key; room for extensions. */
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

/** Whether a value has the form of a passkey's evidence: these members and no other, canonical base64url, bounded. */
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
