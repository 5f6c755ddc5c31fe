/** Checks one signature of a device key with a known key. */
import { decodeCompactJws } from '../compact-jws.ts';
import { DEVICE_PROOF_TYP } from '../token-typ.ts';
import { verifyJws } from '../verify-jws.ts';
import type { AssertionRefusal } from './check-assertion.ts';
import { type DeviceEvidence, isDeviceProofText } from './device-evidence.ts';
import { type DeviceKeyJwk, deviceKeyId } from './device-public-key.ts';

/** Why a device's signature proves nothing, in the same words as for passkeys. */
export type DeviceProofRefusal = Extract<AssertionRefusal, 'malformed' | 'other_challenge' | 'tampered'>;

/**
 * Whether this key signed this challenge. Reads only `key_id` and `jws` of the evidence, and trusts only what the
 * signature covers. Never throws.
 */
export async function checkDeviceProof(
  { key_id: keyId, jws }: Pick<DeviceEvidence, 'key_id' | 'jws'>,
  expected: { challenge: string; key: DeviceKeyJwk },
): Promise<'verified' | DeviceProofRefusal> {
  if (!isDeviceProofText(jws)) return 'malformed';
  const decoded = decodeCompactJws(jws, { typ: DEVICE_PROOF_TYP });
  if (!decoded.ok || Object.keys(decoded.claims).length !== 1) return 'malformed';
  const { header, claims } = decoded;
  if (typeof claims.challenge !== 'string' || header.kid !== keyId) return 'malformed';
  if (claims.challenge !== expected.challenge) return 'other_challenge';
  const { kty, crv, x, y } = expected.key;
  if (deviceKeyId(expected.key) !== keyId) return 'tampered';
  const jwks = { keys: [{ kty, crv, x, y, kid: keyId, alg: 'ES256' as const, use: 'sig' as const }] };
  return (await verifyJws(decoded, jwks)) === 'verified' ? 'verified' : 'tampered';
}
