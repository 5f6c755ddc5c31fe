import { type DecodedJws, decodeCompactJws } from './compact-jws.ts';
import { hasExactly, isCount, isEpochSeconds, isShortText, type PropertyChecks } from './properties.ts';
import type { PublicJwks } from './public-jwk.ts';
import { decodeStatusList, type EncodedStatusList, type StatusList } from './status-list.ts';
import { STATUS_LIST_TYP } from './token-typ.ts';
import { verifyJws } from './verify-jws.ts';

/** Claims of a Status List Token of this gate (draft-ietf-oauth-status-list, "Status List Token in JWT Format"). */
export interface StatusListClaims {
  /** base_url of the gate. */
  iss: string;
  /** Address of the list itself, as receipts name it. */
  sub: string;
  iat: number;
  /** From this time on the list proves nothing. */
  exp: number;
  /** Seconds after which to fetch the list again. */
  ttl: number;
  status_list: EncodedStatusList;
}

/** Why a list proves nothing about the receipt. */
export type StatusListRefusal = 'malformed' | 'unknown_key' | 'tampered' | 'wrong_list' | 'expired';

/** In characters. A full list of 131,072 two-bit statuses that do not compress at all has about 59,000. */
const LONGEST_TOKEN = 131_072;

const LIST_CHECKS: PropertyChecks<EncodedStatusList> = {
  bits: (value) => value === 1 || value === 2 || value === 4 || value === 8,
  lst: (value) => typeof value === 'string',
};

const CLAIM_CHECKS: PropertyChecks<StatusListClaims> = {
  iss: isShortText,
  sub: isShortText,
  iat: isEpochSeconds,
  exp: isEpochSeconds,
  ttl: (value) => isCount(value) && value > 0,
  status_list: (value) => hasExactly(value, LIST_CHECKS),
};

/**
 * The list in a Status List Token, if it can be trusted now. The token must have the right form, a signature by a key
 * of the set and the requested address, and must not have expired. Never throws.
 *
 * @example
 * const verified = await verifyStatusListToken(token, { jwks, issuer, uri: claims.status.status_list.uri });
 * if (verified.ok) verified.list.get(claims.status.status_list.idx) === STATUS_TYPE.VALID;
 */
export async function verifyStatusListToken(
  token: string,
  expected: {
    jwks: PublicJwks;
    issuer: string;
    /** As the receipt names it. */
    uri: string;
    /** Seconds since the epoch. Default: this machine's clock. */
    now?: number;
  },
): Promise<
  { ok: true; claims: StatusListClaims; list: StatusList } | { ok: false; reason: StatusListRefusal }
> {
  const decoded = decodeStatusListToken(token);
  if (decoded === undefined) return { ok: false, reason: 'malformed' };
  const signature = await verifyJws(decoded, expected.jwks);
  if (signature !== 'verified') return { ok: false, reason: signature };
  const { claims } = decoded;
  const { now = Date.now() / 1000 } = expected;
  if (claims.sub !== expected.uri || claims.iss !== expected.issuer)
    return { ok: false, reason: 'wrong_list' };
  // Written this way round, the comparison refuses when the clock is NaN.
  if (!(now < claims.exp)) return { ok: false, reason: 'expired' };
  const list = await decodeStatusList(claims.status_list);
  return list ? { ok: true, claims, list } : { ok: false, reason: 'malformed' };
}

function decodeStatusListToken(
  token: string,
): (Omit<DecodedJws, 'claims'> & { claims: StatusListClaims }) | undefined {
  const decoded = decodeCompactJws(token, { typ: STATUS_LIST_TYP, longest: LONGEST_TOKEN });
  if (!decoded.ok) return undefined;
  const { claims, ...rest } = decoded;
  return hasExactly(claims, CLAIM_CHECKS) ? { ...rest, claims } : undefined;
}
