/** The approvals in a receipt, each with what the approver's own device signed, if one did. */
import { hasExactly, isInstant, isOneOf, isShortText, type PropertyChecks } from '../properties.ts';
import { APPROVAL_METHODS, type ApprovalMethod } from '../vocabulary.ts';
import { type DeviceEvidence, isDeviceEvidence } from './device-evidence.ts';
import { isPasskeyEvidence, type PasskeyEvidence } from './passkey-evidence.ts';

/** One approval that counted, as the receipt records it. */
export type ReceiptApproval = {
  /** Email address, or `policy:<rule>`. */
  by: string;
  at: string;
  method: ApprovalMethod;
  /** Present when `method` is `passkey`. */
  passkey?: PasskeyEvidence;
  /** Present when `method` is `device`. */
  device?: DeviceEvidence;
};

/** The most approvals in a receipt: far more people than any rule requires. */
const MOST_APPROVALS = 1000;

const APPROVAL_CHECKS: PropertyChecks<Omit<ReceiptApproval, 'passkey' | 'device'>> = {
  by: isShortText,
  at: isInstant,
  method: isOneOf(APPROVAL_METHODS),
};

/**
 * Whether a value has the form of a receipt's `approvals`. An approval by passkey or device key carries evidence, and
 * no other approval does.
 */
export function isReceiptApprovals(value: unknown): value is ReceiptApproval[] {
  return (
    Array.isArray(value) && value.length > 0 && value.length <= MOST_APPROVALS && value.every(isApproval)
  );
}

function isApproval(value: unknown): value is ReceiptApproval {
  const method = (value as ReceiptApproval | null)?.method;
  if (method === 'passkey') return hasExactly(value, { ...APPROVAL_CHECKS, passkey: isPasskeyEvidence });
  if (method === 'device') return hasExactly(value, { ...APPROVAL_CHECKS, device: isDeviceEvidence });
  return hasExactly(value, APPROVAL_CHECKS);
}
