import {
  encodeSigningInput,
  epochSeconds,
  PERMIT_TYP,
  type PermitClaims,
  type ProjectMode,
} from '@permitry/protocol';
import type { Ids } from '../kernel/ids.ts';
import { addSeconds, fromEpochSeconds, type Instant } from '../kernel/instant.ts';
import type { Tokens } from './tokens.ts';

/** An issued permit. The token is a bearer secret. */
export interface IssuedPermit {
  /** `pmt_…`, the token's `jti`. */
  id: string;
  token: string;
  issuedAt: Instant;
  expiresAt: Instant;
}

/** The content of a permit, except its own id and times. */
export interface PermitGrant {
  mode: ProjectMode;
  projectId: string;
  intentId: string;
  /** `agt_…`, or `key:key_…`. */
  subject: string;
  action: string;
  paramsHash: string;
  intentHash: string;
  policyHash: string;
  proofTierAchieved: PermitClaims['proof_tier'];
  approval: PermitClaims['approval'];
  ttlSeconds: number;
}

/**
 * Signs a permit. Call it before the transaction that stores the permit, so that an approved intent always has a
 * permit.
 */
export async function issuePermit(
  gate: { ids: Ids; tokens: Tokens },
  grant: PermitGrant,
  now: Instant,
): Promise<IssuedPermit> {
  const id = gate.ids.next('pmt');
  const issuedAtSeconds = epochSeconds(now);
  const claims: PermitClaims = {
    iss: gate.tokens.issuer,
    aud: grant.projectId,
    sub: grant.subject,
    jti: id,
    iat: issuedAtSeconds,
    nbf: issuedAtSeconds,
    exp: issuedAtSeconds + grant.ttlSeconds,
    txn: grant.intentId,
    action: grant.action,
    params_hash: grant.paramsHash,
    intent_hash: grant.intentHash,
    policy_hash: grant.policyHash,
    proof_tier: grant.proofTierAchieved,
    approval: grant.approval,
  };
  const { signer, recogniser } = gate.tokens;
  const { kid, alg } = signer.current;
  const signingInput = encodeSigningInput({ alg, typ: PERMIT_TYP[grant.mode], kid }, claims);
  const token = `${signingInput}.${await signer.sign(kid, signingInput)}`;
  recogniser.remember(token, grant.mode, { kid, claims });
  const issuedAt = fromEpochSeconds(issuedAtSeconds);
  return { id, token, issuedAt, expiresAt: addSeconds(issuedAt, grant.ttlSeconds) };
}
