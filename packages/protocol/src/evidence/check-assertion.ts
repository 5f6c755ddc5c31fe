/** Checks one WebAuthn assertion with a known key, as WebAuthn Level 3 §7.2 requires. */
import { decodeBase64url } from '../base64url.ts';
import type { JsonObject } from '../json.ts';
import { isObject } from '../properties.ts';
import { sha256Hex } from '../sha256.ts';
import { parseStrictJson } from '../strict-json.ts';
import type { PasskeyEvidence } from './passkey-evidence.ts';
import { type PasskeyJwk, verifyPasskeySignature } from './passkey-public-key.ts';

/** Why an assertion proves nothing. */
export type AssertionRefusal =
  /** The assertion has a form that no authenticator writes. */
  | 'malformed'
  /** The signature covers something else: another intent, decision, approver, nonce or time. */
  | 'other_challenge'
  /** The assertion was not made on the gate's own page, or is for another domain. */
  | 'other_origin'
  | 'other_rp_id'
  | 'cross_origin'
  /** The device did not detect a person, or did not verify who the person was. */
  | 'not_present'
  | 'not_verified'
  /** The signature does not match the key. */
  | 'tampered';

const RP_ID_HASH_BYTES = 32;
const FLAGS_AT = RP_ID_HASH_BYTES;
const SHORTEST_AUTHENTICATOR_DATA = 37;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;

type Assertion = Pick<PasskeyEvidence, 'authenticator_data' | 'client_data_json' | 'signature'>;

/**
 * Whether this key signed this challenge on this page, with the person present and verified. Trusts only what the
 * signature covers. Never throws.
 */
export async function checkAssertion(
  evidence: Assertion,
  expected: { challenge: string; origin: string; rpId: string; key: PasskeyJwk },
): Promise<'verified' | AssertionRefusal> {
  const authenticatorData = decodeBase64url(evidence.authenticator_data);
  const clientDataJson = decodeBase64url(evidence.client_data_json);
  const signature = decodeBase64url(evidence.signature);
  const clientData = clientDataJson && readObject(clientDataJson);
  if (!authenticatorData || !clientDataJson || !signature || !clientData) return 'malformed';
  const refusal =
    checkClientData(clientData, expected) ?? checkAuthenticatorData(authenticatorData, expected.rpId);
  if (refusal) return refusal;
  const signed = new Uint8Array(authenticatorData.length + RP_ID_HASH_BYTES);
  signed.set(authenticatorData);
  signed.set(
    new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', clientDataJson)),
    authenticatorData.length,
  );
  return (await verifyPasskeySignature(expected.key, signature, signed)) ? 'verified' : 'tampered';
}

/** Strict JSON: with a duplicate name, another reader might take the other value. */
function readObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = parseStrictJson(bytes);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function checkClientData(
  clientData: JsonObject,
  { challenge, origin }: { challenge: string; origin: string },
): AssertionRefusal | undefined {
  if (clientData.type !== 'webauthn.get') return 'malformed';
  if (clientData.challenge !== challenge) return 'other_challenge';
  if (clientData.origin !== origin) return 'other_origin';
  // A missing member means false (WebAuthn §5.8.1.2).
  if ((clientData.crossOrigin ?? false) !== false || clientData.topOrigin !== undefined)
    return 'cross_origin';
  return undefined;
}

function checkAuthenticatorData(data: Uint8Array, rpId: string): AssertionRefusal | undefined {
  if (data.length < SHORTEST_AUTHENTICATOR_DATA) return 'malformed';
  const rpIdHash = Array.from(data.subarray(0, RP_ID_HASH_BYTES), (byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  if (rpIdHash.join('') !== sha256Hex(rpId)) return 'other_rp_id';
  const flags = data[FLAGS_AT] ?? 0;
  if ((flags & USER_PRESENT) === 0) return 'not_present';
  return (flags & USER_VERIFIED) === 0 ? 'not_verified' : undefined;
}
