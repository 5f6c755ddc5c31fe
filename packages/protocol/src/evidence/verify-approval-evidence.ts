import { foldEmailAddress } from '../email-address.ts';
import { hashJson, type IntentHashInput, intentHash } from '../hashes.ts';
import type { JsonObject } from '../json.ts';
import { epochSeconds, type ReceiptClaims, type ReceiptContent } from '../receipt.ts';
import { type ReceiptFormRefusal, readReceiptClaims } from '../verify-receipt-offline.ts';
import type { ApprovalMethod } from '../vocabulary.ts';
import type { ApproverKeys } from './approver-keys.ts';
import { type AssertionRefusal, checkAssertion } from './check-assertion.ts';
import { checkDeviceProof } from './check-device-proof.ts';
import type { DeviceEvidence } from './device-evidence.ts';
import type { PasskeyEvidence } from './passkey-evidence.ts';
import { proofChallenge } from './proof-challenge.ts';
import type { ReceiptApproval } from './receipt-approval.ts';

/** Why only the gate vouches for an approval. */
export type EvidenceRefusal =
  | AssertionRefusal
  /** A policy, key, token or session gave it; no device of a person signed anything. */
  | 'no_evidence'
  /** The key files do not name this address. */
  | 'unknown_approver'
  /** The key files name the person, but not this passkey or device key. */
  | 'unknown_key'
  /** The evidence is for a denial, or another person made it. */
  | 'other_decision'
  | 'other_approver'
  /** The approval was counted after the challenge had expired. */
  | 'late'
  /** The same person is already listed. */
  | 'counted_twice';

/** Whether the approver's own key, pinned beforehand, signed exactly this intent. */
export type ApprovalFinding = {
  /** Email address, or `policy:<rule>`. */
  by: string;
  at: string;
  /** Null when the receipt does not say. */
  method: ApprovalMethod | null;
} & (
  | {
      signed: true;
      /** Id of the passkey, or thumbprint of the device key. */
      credential_id: string;
    }
  | { signed: false; reason: EvidenceRefusal }
);

/** Why the approvals cannot be checked: the value is not a receipt, or the receipt is for another action. */
export type EvidenceProblem =
  | ReceiptFormRefusal
  | 'action_mismatch'
  | 'params_mismatch'
  /** The intent given is not the one that was approved. */
  | 'intent_mismatch';

export type EvidenceVerification =
  | {
      /** Every approval was signed by the approver's own key. */
      ok: boolean;
      /** Content of the receipt. The approvers signed only its `intent_hash`. */
      claims: ReceiptClaims;
      /** In the order in which they were given. */
      approvals: readonly ApprovalFinding[];
    }
  | { ok: false; reason: EvidenceProblem };

/**
 * Whether the people in a receipt approved exactly this intent with their own passkeys and device keys. Recomputes what
 * each of them must have signed, and checks the signatures with keys pinned beforehand. It neither asks nor trusts the
 * gate, and does not even look at the signature around the receipt (`verifyReceiptOffline` does).
 *
 * Approvers sign `intent_hash`. `intent`, everything that the approver was shown, proves what that hash covers. If you
 * pass only `action` and `params`, they are compared with what the gate wrote beside the hash.
 *
 * @param receipt `receipt_v2` as received, or its `jws` alone.
 * @throws TypeError when `intent` or `params` are not JSON.
 * @example await verifyApprovalEvidence(receipt, { approverKeys: readApproverKeys([file]), intent })
 */
export async function verifyApprovalEvidence(
  receipt: ReceiptContent | string,
  expected: {
    approverKeys: ApproverKeys;
    /** The hashed content, as `GET /console/intents/:id` shows it. */
    intent?: IntentHashInput;
    action?: string;
    params?: JsonObject;
  },
): Promise<EvidenceVerification> {
  const read = readReceiptClaims(receipt);
  if (!read.ok) return { ok: false, reason: read.reason };
  const { claims } = read;
  const problem = findMismatch(claims, expected);
  if (problem) return { ok: false, reason: problem };

  const approvals: ApprovalFinding[] = [];
  const counted = new Set<string>();
  for (const approval of claims.approvals ?? [toGatesWord(claims)]) {
    const { by, at, method, passkey, device } = approval;
    const credentialId = passkey?.credential_id ?? device?.key_id;
    const person = foldEmailAddress(by);
    const verdict = counted.has(person)
      ? 'counted_twice'
      : await judge(approval, claims.intent_hash, expected.approverKeys);
    counted.add(person);
    approvals.push(
      verdict === 'verified' && credentialId !== undefined
        ? { by, at, method, signed: true, credential_id: credentialId }
        : { by, at, method, signed: false, reason: verdict === 'verified' ? 'no_evidence' : verdict },
    );
  }
  return { ok: approvals.every(({ signed }) => signed), claims, approvals };
}

type JudgedApproval = Omit<ReceiptApproval, 'method'> & { method: ApprovalMethod | null };

/** A receipt without such evidence names the last approval only, and not how the person gave it. */
function toGatesWord({ approved_by: by, approved_at: at }: ReceiptClaims): JudgedApproval {
  return { by, at, method: by.startsWith('policy:') ? 'policy' : null };
}

function findMismatch(
  claims: ReceiptClaims,
  { intent, action, params }: { intent?: IntentHashInput; action?: string; params?: JsonObject },
): EvidenceProblem | undefined {
  if (intent !== undefined) {
    if (intentHash(intent) !== claims.intent_hash) return 'intent_mismatch';
    // Two statements about the same intent must agree: the gate may not sign one action and show another.
    if (intent.action !== claims.action) return 'action_mismatch';
    if (hashJson(intent.params) !== claims.params_hash) return 'params_mismatch';
    if (intent.intent !== claims.intent_id) return 'intent_mismatch';
  }
  if (action !== undefined && claims.action !== action) return 'action_mismatch';
  if (params !== undefined && claims.params_hash !== hashJson(params)) return 'params_mismatch';
  return undefined;
}

async function judge(
  { by, at, passkey, device }: JudgedApproval,
  intentHashOfReceipt: string,
  approverKeys: ApproverKeys,
): Promise<'verified' | EvidenceRefusal> {
  const terms = (passkey ?? device)?.challenge;
  if (!terms) return 'no_evidence';
  if (terms.decision !== 'approve') return 'other_decision';
  if (terms.approver !== by) return 'other_approver';
  if (epochSeconds(at) > terms.exp) return 'late';
  if (!approverKeys.knows(by)) return 'unknown_approver';
  const challenge = proofChallenge({ intent_hash: intentHashOfReceipt, ...terms });
  if (passkey) return judgePasskey(passkey, challenge, approverKeys);
  return device ? judgeDevice(device, challenge, approverKeys) : 'no_evidence';
}

async function judgePasskey(
  passkey: PasskeyEvidence,
  challenge: string,
  approverKeys: ApproverKeys,
): Promise<'verified' | EvidenceRefusal> {
  const key = approverKeys.find(passkey.challenge.approver, passkey.credential_id);
  if (!key) return 'unknown_key';
  // The readable members beside the signature must equal the signed ones.
  if (passkey.origin !== key.origin) return 'other_origin';
  if (passkey.rp_id !== key.rp_id) return 'other_rp_id';
  return checkAssertion(passkey, {
    challenge,
    origin: key.origin,
    rpId: key.rp_id,
    key: key.public_key,
  });
}

async function judgeDevice(
  device: DeviceEvidence,
  challenge: string,
  approverKeys: ApproverKeys,
): Promise<'verified' | EvidenceRefusal> {
  const key = approverKeys.findDevice(device.challenge.approver, device.key_id);
  return key ? checkDeviceProof(device, { challenge, key: key.public_key }) : 'unknown_key';
}
