import type { PermitRefused } from './decode-permit.ts';
import type { PermitClaims } from './permit.ts';

/** What the claims of a permit are compared with. */
export interface PermitExpectation {
  /** base_url of the gate. Omit it only where nothing but the gate's own keys could have verified the signature. */
  issuer?: string;
  projectId: string;
  /** Seconds since the epoch, with or without fractions. */
  now: number;
  /** How far this clock and the gate's may differ. Default: 0. */
  clockSkewSeconds?: number;
}

/**
 * Checks the time and place of a permit whose signature is verified already. `expired` from its `exp` on,
 * `not_yet_valid` before its `nbf` (RFC 7519 §4.1), `wrong_project` for another audience or issuer.
 */
export function checkPermitClaims(
  claims: PermitClaims,
  { issuer, projectId, now, clockSkewSeconds = 0 }: PermitExpectation,
): { ok: true } | PermitRefused {
  // Written this way round, the comparison refuses when the clock is NaN.
  if (!(now < claims.exp + clockSkewSeconds)) return { ok: false, reason: 'expired' };
  if (!(now >= claims.nbf - clockSkewSeconds)) return { ok: false, reason: 'not_yet_valid' };
  if (claims.aud !== projectId) return { ok: false, reason: 'wrong_project' };
  if (issuer !== undefined && claims.iss !== issuer) return { ok: false, reason: 'wrong_project' };
  return { ok: true };
}
