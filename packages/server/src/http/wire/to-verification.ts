import type { Verification } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { VerifiedPermit } from '../../gate/permits/verify.ts';
import type { VerifiedReceipt } from '../../gate/receipts/verify-receipt.ts';

export type WireVerification = Static<typeof Verification>;

/** Both surfaces' answer about a valid permit. */
export function toPermitVerification(verified: VerifiedPermit): WireVerification {
  const { intent, claims, bound, receipt } = verified;
  if (!receipt) throw new Error(`approved intent ${intent.id} has no receipt`);
  return {
    valid: true,
    bound,
    authorizes: bound,
    consumed: intent.consumedAt !== null,
    intent_id: intent.id,
    action: intent.action,
    params_hash: intent.paramsHash,
    policy_hash: claims.policy_hash,
    proof_tier: claims.proof_tier,
    approved_by: receipt.approved_by,
    approved_at: receipt.approved_at,
    expires_at: verified.expiresAt,
    mode: verified.mode,
    receipt_v2: receipt,
  };
}

/** A receipt proves that something was approved. It authorises nothing. */
export function toReceiptVerification({ receipt, bound, mode }: VerifiedReceipt): WireVerification {
  return {
    valid: true,
    bound,
    authorizes: false,
    consumed: false,
    intent_id: receipt.intent_id,
    action: receipt.action,
    params_hash: receipt.params_hash,
    policy_hash: receipt.policy_hash,
    proof_tier: receipt.proof_tier_achieved,
    approved_by: receipt.approved_by,
    approved_at: receipt.approved_at,
    expires_at: receipt.receipt_expires_at,
    mode,
    receipt_v2: receipt,
  };
}
