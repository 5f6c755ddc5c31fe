/** The public keys of people's devices, as JWK (RFC 7517): ES256 on P-256 and nothing else. */
import { decodeBase64url, encodeBase64url } from '../base64url.ts';
import { canonicalJson } from '../canonical-json.ts';
import { hasExactly, isOneOf, type PropertyChecks } from '../properties.ts';
import { sha256Hex } from '../sha256.ts';

/** Exactly these members, so the private half cannot come along. */
export type DeviceKeyJwk = {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
};

const isCoordinate = (value: unknown): boolean =>
  typeof value === 'string' && value.length === 43 && decodeBase64url(value) !== undefined;

const JWK_CHECKS: PropertyChecks<DeviceKeyJwk> = {
  kty: isOneOf(['EC']),
  crv: isOneOf(['P-256']),
  x: isCoordinate,
  y: isCoordinate,
};

/** Whether a value has the form of a device's public key. Does not check that the point is on the curve. */
export function isDeviceKeyJwk(value: unknown): value is DeviceKeyJwk {
  return hasExactly(value, JWK_CHECKS);
}

/**
 * Whether the key is a point on the curve, which a signature can match, and has its only canonical spelling. In a
 * second spelling it would have another thumbprint, and no key file would accept it.
 */
export async function isUsableDeviceKey({ kty, crv, x, y }: DeviceKeyJwk): Promise<boolean> {
  if (!isDeviceKeyJwk({ kty, crv, x, y })) return false;
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  try {
    await globalThis.crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm, false, ['verify']);
    return true;
  } catch {
    return false;
  }
}

/**
 * RFC 7638 thumbprint, 43 characters of base64url: the id of the key everywhere, and the text that a person compares.
 *
 * @example deviceKeyId(publicJwk) // 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U'
 */
export function deviceKeyId({ kty, crv, x, y }: DeviceKeyJwk): string {
  const digest = sha256Hex(canonicalJson({ crv, kty, x, y }));
  return encodeBase64url(Uint8Array.from(digest.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
}
