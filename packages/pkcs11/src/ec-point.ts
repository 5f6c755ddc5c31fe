const COORDINATE = 32;
const UNCOMPRESSED = 4;
const POINT = 1 + 2 * COORDINATE;

/** DER of the object identifier 1.2.840.10045.3.1.7, the curve P-256. */
export const P256 = Buffer.from('06082a8648ce3d030107', 'hex');

/**
 * The coordinates of CKA_EC_POINT, in base64url. The value is a DER OCTET STRING around the uncompressed point (PKCS
 * #11 v2.40). Some older tokens give the point without the OCTET STRING. Undefined for anything else.
 */
export function readEcPoint(value: Uint8Array): { x: string; y: string } | undefined {
  const isWrapped = value.length === POINT + 2 && value[0] === 4 && value[1] === POINT;
  const point = isWrapped ? value.subarray(2) : value;
  if (point.length !== POINT || point[0] !== UNCOMPRESSED) return undefined;
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  return { x: encode(point.subarray(1, 1 + COORDINATE)), y: encode(point.subarray(1 + COORDINATE)) };
}
