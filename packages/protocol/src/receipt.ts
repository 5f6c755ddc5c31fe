import type { ProofTier, RevocationStatus } from './vocabulary.ts';

/** What is stored of a receipt: all of it but its revocation status, which is as of the moment of reading. */
export interface ReceiptContent {
  receipt_version: 2;
  receipt_id: string;
  intent_id: string;
  intent_hash: string;
  action: string;
  params_hash: string;
  policy_hash: string;
  /** The tier in force. */
  proof_tier: ProofTier;
  proof_tier_achieved: ProofTier;
  approved_by: string;
  approved_at: string;
  issued_at: string;
  receipt_expires_at: string;
  kid: string;
  /** The same content, signed. */
  jws: string;
}

/** `receipt_v2` as it stands on the wire. */
export interface Receipt extends ReceiptContent {
  revocation_status: RevocationStatus;
}
