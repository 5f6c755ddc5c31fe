/** What an approver's own device signed, as it travels in a receipt. Its form is checked here, nothing is believed. */
import { decodeBase64url } from '../base64url.ts';
import {
  hasExactly,
  isEpochSeconds,
  isInstant,
  isOneOf,
  isShortText,
  type MemberChecks,
} from '../members.ts';
import { APPROVAL_METHODS, type ApprovalMethod } from '../vocabulary.ts';
import type { ProofTerms } from './proof-challenge.ts';

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

/** One approval that counted, as a receipt tells of it. */
export type ReceiptApproval = {
  /** E-mail address, or `policy:<rule>`. */
  by: string;
  at: string;
  method: ApprovalMethod;
  /** There when `method` is `passkey`. */
  passkey?: PasskeyEvidence;
};

/** Approvals that a receipt tells of at most; far more people than a requirement asks for. */
const MOST_APPROVALS = 1000;

/** Bytes. The longest credential id of WebAuthn; the signature of a 4096-bit key; room for extensions. */
const MOST_BYTES = { credentialId: 1023, authenticatorData: 1024, clientDataJson: 1024, signature: 512 };

const TERM_CHECKS: MemberChecks<ProofTerms> = {
  decision: isOneOf(['approve', 'deny']),
  approver: isShortText,
  nonce: isShortText,
  exp: isEpochSeconds,
};

const EVIDENCE_CHECKS: MemberChecks<PasskeyEvidence> = {
  credential_id: isBytesUpTo(MOST_BYTES.credentialId),
  rp_id: isShortText,
  origin: isShortText,
  challenge: (value) => hasExactly(value, TERM_CHECKS),
  authenticator_data: isBytesUpTo(MOST_BYTES.authenticatorData),
  client_data_json: isBytesUpTo(MOST_BYTES.clientDataJson),
  signature: isBytesUpTo(MOST_BYTES.signature),
};

const APPROVAL_CHECKS: MemberChecks<Omit<ReceiptApproval, 'passkey'>> = {
  by: isShortText,
  at: isInstant,
  method: isOneOf(APPROVAL_METHODS),
};

/** Whether a value has the form of a passkey's evidence: these members and no other, canonical base64url, bounded. */
export function isPasskeyEvidence(value: unknown): value is PasskeyEvidence {
  return hasExactly(value, EVIDENCE_CHECKS);
}

/** Whether a value has the form of a receipt's `approvals`. Who approved by passkey brings evidence, nobody else does. */
export function isReceiptApprovals(value: unknown): value is ReceiptApproval[] {
  return (
    Array.isArray(value) && value.length > 0 && value.length <= MOST_APPROVALS && value.every(isApproval)
  );
}

function isApproval(value: unknown): value is ReceiptApproval {
  if ((value as ReceiptApproval | null)?.method !== 'passkey') return hasExactly(value, APPROVAL_CHECKS);
  return hasExactly(value, { ...APPROVAL_CHECKS, passkey: isPasskeyEvidence });
}

function isBytesUpTo(most: number): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'string' &&
    value !== '' &&
    value.length <= Math.ceil((most * 4) / 3) &&
    decodeBase64url(value) !== undefined;
}
