import type { ApprovalMethod, ProofTier } from './vocabulary.ts';

/**
 * Claims of a permit (RFC 7519; `txn` as in RFC 8417). Instants are seconds since the epoch. A permit is valid for one
 * action with exactly these parameters, once per intent.
 */
export interface PermitClaims {
  /** base_url of the gate. */
  iss: string;
  /** Project id. Always exactly one string. */
  aud: string;
  /** `agt_…`, or `key:key_…`. */
  sub: string;
  /** `pmt_…`. */
  jti: string;
  iat: number;
  nbf: number;
  exp: number;
  /** Intent id. */
  txn: string;
  action: string;
  params_hash: string;
  intent_hash: string;
  policy_hash: string;
  /** The tier achieved, not the tier required. */
  proof_tier: ProofTier;
  approval: { by: string[]; at: string; method: ApprovalMethod };
}
