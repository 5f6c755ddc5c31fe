import { type DecodedJws, decodeCompactJws } from './compact-jws.ts';
import { isSha256Hash } from './hashes.ts';
import { isId } from './ids.ts';
import type { PermitClaims } from './permit.ts';
import {
  hasExactly,
  isAction,
  isEpochSeconds,
  isInstant,
  isOneOf,
  isShortText,
  type PropertyChecks,
} from './properties.ts';
import { PERMIT_TYP } from './token-typ.ts';
import { APPROVAL_METHODS, type PermitRefusal, PROOF_TIERS, type ProjectMode } from './vocabulary.ts';

/** A permit of the right form. Trust nothing in it before its signature is verified. */
export interface DecodedPermit extends Omit<DecodedJws, 'claims'> {
  claims: PermitClaims;
}

/** Why a permit does not authorise: one word of the closed list. */
export interface PermitRefused {
  ok: false;
  reason: PermitRefusal;
}

const APPROVAL_CHECKS: PropertyChecks<PermitClaims['approval']> = {
  by: (value) => Array.isArray(value) && value.length > 0 && value.every(isShortText),
  at: isInstant,
  method: isOneOf(APPROVAL_METHODS),
};

const CLAIM_CHECKS: PropertyChecks<PermitClaims> = {
  iss: isShortText,
  // Exactly one string. An array could name the projects of several gates, and verifiers differ in which entry they
  // use.
  aud: (value) => isId('prj', value),
  sub: isSubject,
  jti: (value) => isId('pmt', value),
  iat: isEpochSeconds,
  nbf: isEpochSeconds,
  exp: isEpochSeconds,
  txn: (value) => isId('int', value),
  action: isAction,
  params_hash: isSha256Hash,
  intent_hash: isSha256Hash,
  policy_hash: isSha256Hash,
  proof_tier: isOneOf(PROOF_TIERS),
  approval: (value) => hasExactly(value, APPROVAL_CHECKS),
};

function isSubject(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return value.startsWith('key:') ? isId('key', value.slice('key:'.length)) : isId('agt', value);
}

/**
 * Checks the complete form of a permit token: see `decodeCompactJws`, then exactly the claims of a permit, each of its
 * type. Never throws, verifies no signature and reads no clock.
 *
 * Refusals: `malformed`; `not_a_permit` for another token of ours (receipt, status list, audit head); `wrong_project`
 * for a permit of the other mode. A project's mode never changes, so that permit belongs to another project, whatever
 * its `aud` says.
 *
 * @example decodePermit(token, { mode: 'live' })
 */
export function decodePermit(token: string, expected: { mode: ProjectMode }): DecodedPermit | PermitRefused {
  const decoded = decodeCompactJws(token, { typ: PERMIT_TYP[expected.mode] });
  if (!decoded.ok) {
    const isPermit =
      decoded.reason === 'not_a_permit' && Object.values(PERMIT_TYP).some((typ) => typ === decoded.typ);
    return { ok: false, reason: isPermit ? 'wrong_project' : decoded.reason };
  }
  const { claims, ...rest } = decoded;
  if (!hasExactly(claims, CLAIM_CHECKS)) return { ok: false, reason: 'malformed' };
  return { ...rest, claims };
}
