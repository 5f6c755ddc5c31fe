import type { JsonObject } from './json.ts';
import type { PublicJwks } from './public-jwk.ts';
import type { ReceiptClaims, ReceiptContent } from './receipt.ts';
import { STATUS_TYPE } from './status-list.ts';
import { verifyStatusListToken } from './status-list-token.ts';
import { type ReceiptRefusal, verifyReceiptOffline } from './verify-receipt-offline.ts';

/** Fetches a Status List Token by its address: the body of `GET uri` with `Accept: application/statuslist+jwt`. */
export type FetchStatusList = (uri: string) => Promise<string>;

/** Why a receipt is not good evidence now, or cannot be shown to be. `status_unknown`: no list that can be trusted. */
export type ReceiptStatusRefusal = ReceiptRefusal | 'revoked' | 'suspended' | 'status_unknown';

/**
 * Whether the gate signed a receipt, and its approval is still valid by the gate's status list. The list is fetched
 * only when the receipt itself is valid. Without a status the receipt is refused. That happens when the list cannot be
 * fetched, or no key of the set signed it. It also happens when the list is another one, has expired, or lacks the
 * receipt's place.
 *
 * You may cache a list for as long as its own `ttl` says. You then notice a revocation at most that much later.
 *
 * @param receipt `receipt_v2` as received, or its `jws` alone.
 * @param fetchList If it throws, the answer is `status_unknown`. It is only called with addresses below `issuer`.
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
    /** Omit it to skip the comparison. */
    action?: string;
    /** Omit it to skip the comparison. */
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
