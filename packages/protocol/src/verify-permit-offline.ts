import { checkPermitClaims } from './check-permit-claims.ts';
import { decodePermit, type PermitRefused } from './decode-permit.ts';
import { hashJson } from './hashes.ts';
import type { JsonObject } from './json.ts';
import type { PermitClaims } from './permit.ts';
import type { PublicJwks } from './public-jwk.ts';
import { verifyJws } from './verify-jws.ts';
import type { ProjectMode } from './vocabulary.ts';

/** Everything that an executor must know beforehand. None of it comes from the token. */
export interface OfflineVerification {
  /** The gate's keys, as saved from `/.well-known/jwks.json`. */
  jwks: PublicJwks;
  /** base_url of the gate, without a trailing slash. */
  issuer: string;
  /** Project id. */
  audience: string;
  mode: ProjectMode;
  /** The action that is about to run. */
  action: string;
  /** The parameters that it is about to run with. */
  params: JsonObject;
  /** Seconds since the epoch. Default: this machine's clock. */
  now?: number;
  /** Default 0. */
  clockSkewSeconds?: number;
}

/**
 * Whether a permit authorises exactly this action with exactly these parameters now, without asking the gate. Offline
 * verification cannot know of revocations, paused agents, stopped projects or an earlier use. Only `consume` at the
 * gate guards against a second use.
 *
 * The checks run in this order, and the first failure is the answer: form, key known, signature, time, issuer and
 * audience, action, parameters.
 *
 * @throws TypeError when `params` is not JSON.
 * @example
 * const permit = await verifyPermitOffline(token, { jwks, issuer, audience: projectId, mode: 'live', action, params });
 * if (!permit.ok) throw new Error(`Not authorised: ${permit.reason}`);
 */
export async function verifyPermitOffline(
  token: string,
  expected: OfflineVerification,
): Promise<{ ok: true; claims: PermitClaims } | PermitRefused> {
  const permit = decodePermit(token, { mode: expected.mode });
  if (!permit.ok) return permit;
  const signature = await verifyJws(permit, expected.jwks);
  if (signature !== 'verified') return { ok: false, reason: signature };

  const { claims } = permit;
  const { issuer, audience: projectId, now = Date.now() / 1000, clockSkewSeconds = 0 } = expected;
  const check = checkPermitClaims(claims, { issuer, projectId, now, clockSkewSeconds });
  if (!check.ok) return check;
  if (claims.action !== expected.action) return { ok: false, reason: 'action_mismatch' };
  if (claims.params_hash !== hashJson(expected.params)) return { ok: false, reason: 'params_mismatch' };
  return { ok: true, claims };
}
