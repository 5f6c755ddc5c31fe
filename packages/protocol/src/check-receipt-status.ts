import type { JsonObject } from './json.ts';
import type { PublicJwks } from './public-jwk.ts';
import type { ReceiptClaims, ReceiptContent } from './receipt.ts';
import { STATUS_TYPE } from './status-list.ts';
import { verifyStatusListToken } from './status-list-token.ts';
import { type ReceiptRefusal, verifyReceiptOffline } from './verify-receipt-offline.ts';

/** Fetches a Status List Token by its address: the body of `GET uri` with `Accept: application/statuslist+jwt`. */
export type FetchStatusList = (uri: string) => Promise<string>;

/** Why a receipt is not, or not known to be, good evidence now. `status_unknown`: no list that may be believed. */
export type ReceiptStatusRefusal = ReceiptRefusal | 'revoked' | 'suspended' | 'status_unknown';

/**
 * Whether a receipt is what the gate signed, and its approval still stands by the gate's status list. The list is
 * asked for only when the receipt itself is good. What cannot be found out is refused: a list that cannot be
 * fetched, is not signed by a key of the set, is another one or expired, or has no such place.
 *
 * A list may be kept for as long as its own `ttl` says: that is how late a revocation may be noticed.
 *
 * @param receipt `receipt_v2` as received, or its `jws` alone.
 * @param fetchList What it throws is answered as `status_unknown`. Its address lies below `issuer`.
 * @throws TypeError when `params` is not JSON.
 * @example
 * const fetchList = async (uri: string) => {
 *   const answer = await fetch(uri, { headers: { accept: 'application/statuslist+jwt' }, redirect: 'error' });
 *   if (!answer.ok) throw new Error(`${uri} answered ${answer.status}`);
 *   return answer.text();
 * };
 * const checked = await checkReceiptStatus(intent.receipt_v2, fetchList, { jwks, issuer, action, params });
 * if (!checked.ok) throw new Error(`No evidence: ${checked.reason}`);
 */
export async function checkReceiptStatus(
  receipt: ReceiptContent | string,
  fetchList: FetchStatusList,
  expected: {
    jwks: PublicJwks;
    issuer: string;
    /** Left out: not compared. */
    action?: string;
    /** Left out: not compared. */
    params?: JsonObject;
    /** Seconds since the epoch. Default: this machine's clock. */
    now?: number;
  },
): Promise<{ ok: true; claims: ReceiptClaims } | { ok: false; reason: ReceiptStatusRefusal }> {
  const verified = await verifyReceiptOffline(receipt, expected);
  if (!verified.ok) return verified;
  const status = await findStatus(verified.claims, fetchList, expected);
  switch (status) {
    case STATUS_TYPE.VALID:
      return verified;
    case STATUS_TYPE.INVALID:
      return { ok: false, reason: 'revoked' };
    case STATUS_TYPE.SUSPENDED:
      return { ok: false, reason: 'suspended' };
    default:
      return { ok: false, reason: 'status_unknown' };
  }
}

async function findStatus(
  { status: { status_list: slot } }: ReceiptClaims,
  fetchList: FetchStatusList,
  { jwks, issuer, now }: { jwks: PublicJwks; issuer: string; now?: number },
): Promise<number | undefined> {
  const { uri, idx } = slot;
  if (!uri.startsWith(`${issuer}/`)) return undefined;
  let token: string;
  try {
    token = await fetchList(uri);
  } catch {
    return undefined;
  }
  const verified = await verifyStatusListToken(token, {
    jwks,
    issuer,
    uri,
    ...(now === undefined ? {} : { now }),
  });
  return verified.ok ? verified.list.get(idx) : undefined;
}
