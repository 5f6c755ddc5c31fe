import type { SignedApprovalSchema } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { SignedApproval } from '../../gate/signing-keys/list-signed-by.ts';

export function toWireSigned({
  intent,
  receipt,
  unusedPermit,
}: SignedApproval): Static<typeof SignedApprovalSchema> {
  return {
    intent_id: intent.id,
    action: intent.action,
    approved_by: intent.approvedBy,
    approved_at: intent.approvedAt,
    consumed_at: intent.consumedAt,
    receipt: receipt && {
      receipt_id: receipt.receipt_id,
      revocation_status: receipt.revocation_status,
      receipt_expires_at: receipt.receipt_expires_at,
    },
    unused_permit: unusedPermit && { id: unusedPermit.id, expires_at: unusedPermit.expiresAt },
  };
}
