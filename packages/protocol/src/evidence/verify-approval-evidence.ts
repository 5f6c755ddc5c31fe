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

/** Why an approval is the gate's word alone. */
export type EvidenceRefusal =
  | AssertionRefusal
  /** Given by policy, a key, a token or a session: no device of a person signed anything. */
  | 'no_evidence'
  /** The key files name nobody of this address. */
  | 'unknown_approver'
  /** They name the person, but not this passkey or device key. */
  | 'unknown_key'
  /** The evidence is for a denial, or was made by somebody else. */
  | 'other_decision'
  | 'other_approver'
  /** The approval counted after the challenge had run out. */
  | 'late'
  /** The same person stands there already. */
  | 'counted_twice';

/** Whether the approver's own key, pinned beforehand, signed this exact intent. */
export type ApprovalFinding = {
  /** E-mail address, or `policy:<rule>`. */
  by: string;
  at: string;
  /** Null where the receipt does not say. */
  method: ApprovalMethod | null;
} & (
  | {
      signed: true;
      /** Of the passkey; of a device key, its thumbprint. */
      credential_id: string;
    }
  | { signed: false; reason: EvidenceRefusal }
);

/** Why nothing can be said of the approvals: the receipt is none, or tells of another action. */
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
      /** Content of the receipt. Of its members the approvers signed `intent_hash` alone. */
      claims: ReceiptClaims;
      /** In the order they were given. */
      approvals: readonly ApprovalFinding[];
    }
  | { ok: false; reason: EvidenceProblem };

/**
 * Whether the people a receipt names approved this very intent with their own passkeys and device keys: recomputes what each of them
 * must have signed, and checks the signatures with keys pinned beforehand. It asks the gate nothing and believes
 * nothing it says: not even the signature around the receipt is looked at (`verifyReceiptOffline` does that).
 *
 * They sign `intent_hash`. What that hash stands for is proved by `intent`, all that was shown to the approver;
 * `action` and `params` alone are compared with what the gate wrote beside it.
 *
 * @param receipt `receipt_v2` as received, or its `jws` alone.
 * @throws TypeError when `intent` or `params` are not JSON.
 * @example await verifyApprovalEvidence(receipt, { approverKeys: readApproverKeys([file]), intent })
 */
export async function verifyApprovalEvidence(
  receipt: ReceiptContent | string,
  expected: {
    approverKeys: ApproverKeys;
    /** What was hashed, as `GET /console/intents/:id` shows it. */
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

/** A receipt without such evidence tells of the last approval only, and not how a person gave it. */
function toGatesWord({ approved_by: by, approved_at: at }: ReceiptClaims): JudgedApproval {
  return { by, at, method: by.startsWith('policy:') ? 'policy' : null };
}

function findMismatch(
  claims: ReceiptClaims,
  { intent, action, params }: { intent?: IntentHashInput; action?: string; params?: JsonObject },
): EvidenceProblem | undefined {
  if (intent !== undefined) {
    if (intentHash(intent) !== claims.intent_hash) return 'intent_mismatch';
    // Both said of one intent: the gate may not have signed one action and shown another.
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
  // What people read beside the signature must be what was signed.
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
