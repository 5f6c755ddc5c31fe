/** An intent, what an approver signs to approve it, and its receipt as a gate would write it. For tests of evidence. */
import { encodeBase64url } from '../src/base64url.ts';
import type { ProofTerms } from '../src/evidence/proof-challenge.ts';
import { hashJson, type IntentHashInput, intentHash } from '../src/hashes.ts';
import { type ReceiptContent, receiptClaims } from '../src/receipt.ts';
import { RECEIPT_TYP } from '../src/token-typ.ts';

export const ANA = 'ana@example.org';
export const BEN = 'ben@example.org';
export const APPROVED_AT = '2026-11-20T10:00:00.000Z';
/** When the challenge that was signed for the approval expires. Unix time in seconds. */
export const CHALLENGE_ENDS = Date.parse(APPROVED_AT) / 1000 + 60;

export const INTENT: IntentHashInput = {
  project: 'prj_1',
  intent: 'int_1',
  action: 'payments.refund',
  params: { amount: 120 },
  requester: 'agt_1',
  source: 'billing-bot',
  source_type: 'ai_agent',
  risk_tier: 'high',
  metadata: {},
  expires_at: '2026-11-20T11:00:00.000Z',
};

export function approvalTerms(approver: string, otherwise: Partial<ProofTerms> = {}): ProofTerms {
  return {
    decision: 'approve',
    approver,
    nonce: 'AAECAwQFBgcICQoLDA0ODw',
    exp: CHALLENGE_ENDS,
    ...otherwise,
  };
}

/** The receipt carries no signature of a gate: a verifier that trusts only the evidence needs none. */
export function receiptOfApproval(
  tier: 'passkey' | 'device',
  otherwise: Partial<ReceiptContent> = {},
): ReceiptContent {
  const content = {
    receipt_version: 2 as const,
    receipt_id: 'rct_1',
    intent_id: 'int_1',
    intent_hash: intentHash(INTENT),
    action: INTENT.action,
    params_hash: hashJson(INTENT.params),
    policy_hash: hashJson({}),
    proof_tier: tier,
    proof_tier_achieved: tier,
    approved_by: ANA,
    approved_at: APPROVED_AT,
    issued_at: APPROVED_AT,
    receipt_expires_at: '2027-11-20T10:00:00.000Z',
    kid: 'k1',
    ...otherwise,
  };
  const claims = receiptClaims(content, {
    issuer: 'https://gate.example',
    statusList: { idx: 0, uri: 'https://gate.example/v1/status/1' },
  });
  const parts = [{ alg: 'ES256', typ: RECEIPT_TYP, kid: 'k1' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return { ...content, jws: `${parts.join('.')}.${encodeBase64url(new Uint8Array(64))}` };
}
