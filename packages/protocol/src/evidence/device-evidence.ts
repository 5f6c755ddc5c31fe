/** What a person's own device key signed, as a receipt carries it. This module checks the form and trusts nothing. */
import { decodeBase64url } from '../base64url.ts';
import { encodeSigningInput } from '../compact-jws.ts';
import { hasExactly, type PropertyChecks } from '../properties.ts';
import { DEVICE_PROOF_TYP } from '../token-typ.ts';
import { isProofTerms, type ProofTerms } from './proof-challenge.ts';

/** A signature by a passphrase-protected key, over the challenge of one intent, one decision and one approver. */
export type DeviceEvidence = {
  /** RFC 7638 thumbprint of the key. */
  key_id: string;
  /** With the receipt's `intent_hash` these terms make the challenge (see `proofChallenge`). */
  challenge: ProofTerms;
  /** JWS in compact form, ES256: header `{ alg, typ: "device-proof+jwt", kid }`, payload `{ challenge }`. */
  jws: string;
};

const THUMBPRINT_BYTES = 32;
/** In characters. A typical one has about 310. */
const LONGEST_DEVICE_PROOF = 512;

const EVIDENCE_CHECKS: PropertyChecks<DeviceEvidence> = {
  key_id: (value) => typeof value === 'string' && decodeBase64url(value)?.length === THUMBPRINT_BYTES,
  challenge: isProofTerms,
  jws: isDeviceProofText,
};

/** Whether a value has the form of device evidence: these members and no other. */
export function isDeviceEvidence(value: unknown): value is DeviceEvidence {
  return hasExactly(value, EVIDENCE_CHECKS);
}

/** Whether a text is short enough to be a device's signature. `checkDeviceProof` checks its form. */
export function isDeviceProofText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_DEVICE_PROOF;
}

/**
 * The text that a device key signs. With `.` and the signature (r‖s, base64url) it makes the `jws`.
 *
 * @param challenge From `proofChallenge`, computed from what the person was shown and never taken from the requester.
 * @example `${deviceProofInput(keyId, challenge)}.${signature}`
 */
export function deviceProofInput(keyId: string, challenge: string): string {
  return encodeSigningInput({ alg: 'ES256', typ: DEVICE_PROOF_TYP, kid: keyId }, { challenge });
}
