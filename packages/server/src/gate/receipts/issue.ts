import { encodeSigningInput, RECEIPT_TYP, type ReceiptContent, receiptClaims } from '@permitry/protocol';
import type { Gate } from '../gate.ts';
import { addSeconds, type Instant } from '../instant.ts';

/** How long a receipt stays evidence: one year. */
const RECEIPT_LIFETIME_SECONDS = 365 * 24 * 3600;

/** Receipts per status list (Token Status List: one bit array per list). */
const RECEIPTS_PER_STATUS_LIST = 131_072;

/** The first place of a list; lists are numbered from 0. */
export function firstIndexOfStatusList(list: number): number {
  return list * RECEIPTS_PER_STATUS_LIST;
}

/** What a receipt tells of an approval, but for its own identity and times. */
export type ReceiptFacts = Pick<
  ReceiptContent,
  | 'intent_id'
  | 'intent_hash'
  | 'action'
  | 'params_hash'
  | 'policy_hash'
  | 'proof_tier'
  | 'proof_tier_achieved'
  | 'approved_by'
  | 'approved_at'
>;

/**
 * Signs a receipt: evidence that outlives the permit and never authorises. Its `jws` refers to a place in a status
 * list (draft-ietf-oauth-status-list), so that a revocation can be seen by someone who holds only the receipt.
 */
export async function issueReceipt(
  gate: Gate,
  facts: ReceiptFacts,
  receiptIndex: number,
  now: Instant,
): Promise<ReceiptContent> {
  const { kid, alg } = gate.signer.current;
  const expiresAt = addSeconds(now, RECEIPT_LIFETIME_SECONDS);
  const content = {
    receipt_version: 2 as const,
    receipt_id: gate.ids.next('rct'),
    ...facts,
    issued_at: now,
    receipt_expires_at: expiresAt,
    kid,
  };
  const list = Math.floor(receiptIndex / RECEIPTS_PER_STATUS_LIST);
  const signingInput = encodeSigningInput(
    { alg, typ: RECEIPT_TYP, kid },
    receiptClaims(content, {
      issuer: gate.issuer,
      statusList: {
        idx: receiptIndex % RECEIPTS_PER_STATUS_LIST,
        uri: `${gate.issuer}/v1/status/${list}`,
      },
    }),
  );
  return { ...content, jws: `${signingInput}.${await gate.signer.sign(kid, signingInput)}` };
}
