import { canonicalJson } from './canonical-json.ts';
import { type DecodedJws, decodeCompactJws } from './compact-jws.ts';
import { isReceiptApprovals } from './evidence/receipt-approval.ts';
import { hashJson, isSha256Hash } from './hashes.ts';
import { isId } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';
import {
  hasExactly,
  isAction,
  isCount,
  isEpochSeconds,
  isInstant,
  isObject,
  isOneOf,
  isShortText,
  type PropertyChecks,
} from './properties.ts';
import type { PublicJwks } from './public-jwk.ts';
import {
  epochSeconds,
  type ReceiptClaims,
  type ReceiptContent,
  type StatusListReference,
  signedContent,
} from './receipt.ts';
import { RECEIPT_TYP } from './token-typ.ts';
import { verifyJws } from './verify-jws.ts';
import { PROOF_TIERS } from './vocabulary.ts';

/** Why a receipt proves nothing. `content_mismatch`: a member beside the `jws` differs from the signed one. */
export type ReceiptRefusal =
  | ReceiptFormRefusal
  | 'unknown_key'
  | 'tampered'
  | 'wrong_issuer'
  | 'expired'
  | 'action_mismatch'
  | 'params_mismatch';

/** Refusals that need no key. */
export type ReceiptFormRefusal = 'malformed' | 'not_a_receipt' | 'content_mismatch';

export interface ReceiptRefused<R extends ReceiptRefusal = ReceiptRefusal> {
  ok: false;
  reason: R;
}

/** In characters, for a receipt's `jws`. One has about 900, and the evidence of each approval adds up to 1,500. */
export const LONGEST_RECEIPT = 262_144;

/** A receipt's `jws` of the right form. Trust nothing in it yet. */
export interface DecodedReceipt extends Omit<DecodedJws, 'claims'> {
  claims: ReceiptClaims;
}

const isProofTier = isOneOf(PROOF_TIERS);

const STATUS_LIST_CHECKS: PropertyChecks<StatusListReference> = {
  idx: isCount,
  uri: isShortText,
};

const STATUS_CHECKS: PropertyChecks<ReceiptClaims['status']> = {
  status_list: (value) => hasExactly(value, STATUS_LIST_CHECKS),
};

const CLAIM_CHECKS: PropertyChecks<Omit<ReceiptClaims, 'approvals'>> = {
  iss: isShortText,
  iat: isEpochSeconds,
  exp: isEpochSeconds,
  status: (value) => hasExactly(value, STATUS_CHECKS),
  receipt_version: (value) => value === 2,
  receipt_id: (value) => isId('rct', value),
  intent_id: (value) => isId('int', value),
  intent_hash: isSha256Hash,
  action: isAction,
  params_hash: isSha256Hash,
  policy_hash: isSha256Hash,
  proof_tier: isProofTier,
  proof_tier_achieved: isProofTier,
  approved_by: isShortText,
  approved_at: isInstant,
  issued_at: isInstant,
  receipt_expires_at: isInstant,
  kid: isShortText,
};

/**
 * Checks the form of a receipt's `jws`: exactly its claims, and no contradiction where it states something twice. Never
 * throws.
 */
export function decodeReceipt(jws: string): DecodedReceipt | ReceiptRefused<ReceiptFormRefusal> {
  const decoded = decodeCompactJws(jws, { typ: RECEIPT_TYP, longest: LONGEST_RECEIPT });
  if (!decoded.ok)
    return { ok: false, reason: decoded.reason === 'malformed' ? 'malformed' : 'not_a_receipt' };
  const { claims, ...rest } = decoded;
  const isWhole =
    isReceiptClaims(claims) &&
    claims.kid === rest.header.kid &&
    claims.iat === epochSeconds(claims.issued_at) &&
    claims.exp === epochSeconds(claims.receipt_expires_at);
  return isWhole ? { ...rest, claims } : { ok: false, reason: 'malformed' };
}

function isReceiptClaims(claims: object): claims is ReceiptClaims {
  const { approvals, ...others } = claims as Partial<ReceiptClaims>;
  if (approvals === undefined) return hasExactly(claims, CLAIM_CHECKS);
  return hasExactly(others, CLAIM_CHECKS) && isReceiptApprovals(approvals);
}

/**
 * The content of a receipt, if every member beside its `jws` agrees with it. Does not check the signature. Never
 * throws.
 *
 * @param receipt `receipt_v2` as received, or its `jws` alone.
 */
export function readReceiptClaims(
  receipt: ReceiptContent | string,
): { ok: true; claims: ReceiptClaims } | ReceiptRefused<ReceiptFormRefusal> {
  const decoded = decodeReceipt(typeof receipt === 'string' ? receipt : receipt?.jws);
  if (!decoded.ok) return decoded;
  const { claims } = decoded;
  const isAsSigned = typeof receipt === 'string' || saysTheSame(receipt, claims);
  return isAsSigned ? { ok: true, claims } : { ok: false, reason: 'content_mismatch' };
}

/**
 * Whether the gate signed a receipt, without asking the gate. A receipt is a record that an approval was given; it
 * never authorises. `revocation_status` is neither signed nor checked: whether the approval is still valid is in the
 * status list.
 *
 * @param receipt `receipt_v2` as received, or its `jws` alone.
 * @throws TypeError when `params` is not JSON.
 * @example await verifyReceiptOffline(intent.receipt_v2, { jwks, issuer, action, params })
 */
export async function verifyReceiptOffline(
  receipt: ReceiptContent | string,
  expected: {
    jwks: PublicJwks;
    issuer: string;
    /** Omit it to skip the comparison. */
    action?: string;
    /** Omit it to skip the comparison. */
    params?: JsonObject;
    /** Seconds since the epoch. Default: this machine's clock. */
    now?: number;
  },
): Promise<{ ok: true; claims: ReceiptClaims } | ReceiptRefused> {
  const decoded = decodeReceipt(typeof receipt === 'string' ? receipt : receipt?.jws);
  if (!decoded.ok) return decoded;
  const signature = await verifyJws(decoded, expected.jwks);
  if (signature !== 'verified') return { ok: false, reason: signature };

  const { claims } = decoded;
  const { now = Date.now() / 1000, action, params } = expected;
  if (claims.iss !== expected.issuer) return { ok: false, reason: 'wrong_issuer' };
  if (!(now < claims.exp)) return { ok: false, reason: 'expired' };
  if (typeof receipt !== 'string' && !saysTheSame(receipt, claims))
    return { ok: false, reason: 'content_mismatch' };
  if (action !== undefined && claims.action !== action) return { ok: false, reason: 'action_mismatch' };
  if (params !== undefined && claims.params_hash !== hashJson(params))
    return { ok: false, reason: 'params_mismatch' };
  return { ok: true, claims };
}

/** People read the members beside the `jws`, so each must equal a signed one, except the status as of reading. */
function saysTheSame(receipt: ReceiptContent, claims: ReceiptClaims): boolean {
  const signed = signedContent(claims);
  const unsigned = ['jws', 'revocation_status'];
  if (!isObject(receipt)) return false;
  const stated: Record<string, unknown> = receipt;
  return (
    Object.entries(signed).every(
      ([name, value]) => Object.hasOwn(stated, name) && isSameJson(stated[name], value),
    ) && Object.keys(stated).every((name) => Object.hasOwn(signed, name) || unsigned.includes(name))
  );
}

function isSameJson(stated: unknown, signed: unknown): boolean {
  if (typeof signed !== 'object') return stated === signed;
  try {
    return canonicalJson(stated as JsonValue) === canonicalJson(signed as JsonValue);
  } catch {
    return false;
  }
}
