import type { ReceiptApproval } from './evidence/receipt-approval.ts';
import type { ProofTier, RevocationStatus } from './vocabulary.ts';

/** The stored part of a receipt: everything except its revocation status, which the gate determines at each reading. */
export interface ReceiptContent {
  receipt_version: 2;
  receipt_id: string;
  intent_id: string;
  intent_hash: string;
  action: string;
  params_hash: string;
  policy_hash: string;
  /** The effective tier. */
  proof_tier: ProofTier;
  proof_tier_achieved: ProofTier;
  approved_by: string;
  approved_at: string;
  issued_at: string;
  receipt_expires_at: string;
  kid: string;
  /**
   * Present when somebody approved with a passkey or a device key. Lists every approval that counted, in the order
   * given, with what the approver's device signed. `verifyApprovalEvidence` checks it without trusting the gate.
   */
  approvals?: ReceiptApproval[];
  /** The same content, signed. */
  jws: string;
}

/** `receipt_v2` as on the wire. */
export interface Receipt extends ReceiptContent {
  revocation_status: RevocationStatus;
}

/** Where to look up whether a receipt is still valid (Token Status List, `status_list` reference). */
export interface StatusListReference {
  /** Position in the list, from 0. */
  idx: number;
  uri: string;
}

/** Claims of a receipt's `jws`: the content, and the claims of a token. */
export interface ReceiptClaims extends Omit<ReceiptContent, 'jws'> {
  /** base_url of the gate. */
  iss: string;
  /** `issued_at` in seconds since the epoch. */
  iat: number;
  /** `receipt_expires_at` in seconds since the epoch. */
  exp: number;
  status: { status_list: StatusListReference };
}

/**
 * The claims to sign for a receipt.
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
 * The content of a receipt from its signed claims: the inverse of `receiptClaims`.
 *
 * @example const receipt = { ...signedContent(claims), jws }
 */
export function signedContent(claims: ReceiptClaims): Omit<ReceiptContent, 'jws'> {
  const { iss, iat, exp, status, ...content } = claims;
  return content;
}

/** Seconds since the epoch of an instant, rounded down to an integer. */
export function epochSeconds(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000);
}
