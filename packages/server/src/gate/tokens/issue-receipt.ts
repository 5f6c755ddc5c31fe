import {
  encodeSigningInput,
  type JwsHeader,
  RECEIPT_TYP,
  type ReceiptContent,
  receiptClaims,
} from '@permitry/protocol';
import type { Ids } from '../kernel/ids.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import { statusSlotOf } from './status-slot.ts';
import type { Tokens } from './tokens.ts';

/**
 * The header of every receipt that a key signs. The storage finds receipts by this text, so it must never change for a
 * key that has signed.
 */
export function receiptHeader(kid: string): JwsHeader {
  return { alg: 'ES256', typ: RECEIPT_TYP, kid };
}

/** How long a receipt remains evidence: one year. */
const RECEIPT_LIFETIME_SECONDS = 365 * 24 * 3600;

/** The content of a receipt, except its own id and times. */
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
  | 'approvals'
>;

/**
 * Signs a receipt: a record that outlives the permit and never authorises. Its `jws` refers to a place in a status list
 * (draft-ietf-oauth-status-list). So a person who has only the receipt can see a revocation.
 */
export async function issueReceipt(
  gate: { ids: Ids; tokens: Tokens },
  facts: ReceiptFacts,
  receiptIndex: number,
  now: Instant,
): Promise<ReceiptContent> {
  const { kid } = gate.tokens.signer.current;
  const expiresAt = addSeconds(now, RECEIPT_LIFETIME_SECONDS);
  const content = {
    receipt_version: 2 as const,
    receipt_id: gate.ids.next('rct'),
    ...facts,
    issued_at: now,
    receipt_expires_at: expiresAt,
    kid,
  };
  const signingInput = encodeSigningInput(
    receiptHeader(kid),
    receiptClaims(content, {
      issuer: gate.tokens.issuer,
      statusList: statusSlotOf(gate.tokens.issuer, receiptIndex),
    }),
  );
  return { ...content, jws: `${signingInput}.${await gate.tokens.signer.sign(kid, signingInput)}` };
}
