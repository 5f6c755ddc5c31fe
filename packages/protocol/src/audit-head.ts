import type { AuditHead } from './audit-chain.ts';
import { decodeCompactJws } from './compact-jws.ts';
import { isSha256Hash } from './hashes.ts';
import { isId } from './ids.ts';
import { hasExactly, isCount, isEpochSeconds, isShortText, type PropertyChecks } from './properties.ts';
import type { PublicJwks } from './public-jwk.ts';
import { AUDIT_HEAD_TYP } from './token-typ.ts';
import { verifyJws } from './verify-jws.ts';

/** Claims of a signed head (`typ: audit-head+jwt`): at `iat`, the project's chain ended with this record. */
export interface AuditHeadClaims extends AuditHead {
  /** base_url of the gate. */
  iss: string;
  /** Project id. */
  project: string;
  /** Seconds since the epoch. */
  iat: number;
}

export type AuditHeadVerification =
  | { ok: true; claims: AuditHeadClaims }
  | { ok: false; reason: 'malformed' | 'not_an_audit_head' | 'unknown_key' | 'tampered' };

const CLAIM_CHECKS: PropertyChecks<AuditHeadClaims> = {
  iss: isShortText,
  project: (value) => isId('prj', value),
  seq: isCount,
  hash: isSha256Hash,
  iat: isEpochSeconds,
};

/** Whether a key of this set signed the head. A head does not expire. Never throws. */
export async function verifyAuditHead(
  jws: string,
  { jwks }: { jwks: PublicJwks },
): Promise<AuditHeadVerification> {
  const decoded = decodeCompactJws(jws, { typ: AUDIT_HEAD_TYP });
  if (!decoded.ok) {
    return { ok: false, reason: decoded.reason === 'malformed' ? 'malformed' : 'not_an_audit_head' };
  }
  const { claims } = decoded;
  if (!hasExactly(claims, CLAIM_CHECKS)) return { ok: false, reason: 'malformed' };
  const signature = await verifyJws(decoded, jwks);
  return signature === 'verified' ? { ok: true, claims } : { ok: false, reason: signature };
}
