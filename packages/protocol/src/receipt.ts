import type { ReceiptApproval } from './evidence/receipt-approval.ts';
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
  /**
   * There when somebody approved with a passkey or a device key: every approval that counted, in the order they were given, with what the
   * approver's device signed, so that it can be checked without trusting the gate (`verifyApprovalEvidence`).
   */
  approvals?: ReceiptApproval[];
  /** The same content, signed. */
  jws: string;
}

/** `receipt_v2` as it stands on the wire. */
export interface Receipt extends ReceiptContent {
  revocation_status: RevocationStatus;
}

/** Where to look up whether a receipt still holds (Token Status List, `status_list` reference). */
export interface StatusListReference {
  /** Position in the list, from 0. */
  idx: number;
  uri: string;
}

/** Claims of a receipt's `jws`: the content, and what makes it a token. */
export interface ReceiptClaims extends Omit<ReceiptContent, 'jws'> {
  /** base_url of the gate. */
  iss: string;
  /** Seconds since the epoch of `issued_at`. */
  iat: number;
  /** Seconds since the epoch of `receipt_expires_at`. */
  exp: number;
  status: { status_list: StatusListReference };
}

/**
 * The claims to be signed for a receipt.
 *
 * @example receiptClaims(content, { issuer: gate.issuer, statusList: { idx: 7, uri: `${gate.issuer}/v1/status/1` } })
 */
export function receiptClaims(
  content: Omit<ReceiptContent, 'jws'>,
  origin: { issuer: string; statusList: StatusListReference },
): ReceiptClaims {
  return {
    ...content,
    iss: origin.issuer,
    iat: epochSeconds(content.issued_at),
    exp: epochSeconds(content.receipt_expires_at),
    status: { status_list: { idx: origin.statusList.idx, uri: origin.statusList.uri } },
  };
}

/**
 * What a receipt says, of the claims that were signed for it: `receiptClaims` the other way round.
 *
 * @example const receipt = { ...signedContent(claims), jws }
 */
export function signedContent(claims: ReceiptClaims): Omit<ReceiptContent, 'jws'> {
  const { iss, iat, exp, status, ...content } = claims;
  return content;
}

/** Whole seconds since the epoch of an instant, rounded down. */
export function epochSeconds(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000);
}
