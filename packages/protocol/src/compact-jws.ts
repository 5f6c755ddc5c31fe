/** The form of our tokens. It is checked completely before anything looks at a signature. */
import { decodeBase64url, encodeBase64url } from './base64url.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { parseStrictJson } from './strict-json.ts';
import { TOKEN_TYPS, type TokenTyp } from './token-typ.ts';

/** The complete protected header of our tokens: these three members and no other. */
export interface JwsHeader {
  alg: 'ES256';
  typ: TokenTyp;
  /** RFC 7638 thumbprint of the signing key. */
  kid: string;
}

/** A token of the right form. Trust nothing in it before its signature is verified. */
export interface DecodedJws {
  ok: true;
  header: JwsHeader;
  claims: JsonObject;
  /** The signed bytes: header and claims as sent (RFC 7515 §5.2). */
  signingInput: string;
  /** 64 bytes r‖s (RFC 7518 §3.4), base64url. */
  signature: string;
}

export type JwsRefusal =
  | { ok: false; reason: 'malformed' }
  /**
   * The form is right, but it is another token of ours: a receipt, a status list, an audit head, or the other mode's
   * permit.
   */
  | { ok: false; reason: 'not_a_permit'; typ: TokenTyp };

/** In characters. A permit has about 900, and more with every approver it names. */
export const LONGEST_JWS = 32_768;

const SIGNATURE_BYTES = 64;
const HEADER_PROPERTIES = 3;
const MALFORMED: JwsRefusal = { ok: false, reason: 'malformed' };

/**
 * Header and claims in the form that is signed. With `.` and the base64url signature they make a token (RFC 7515 §7.1).
 *
 * @example `${input}.${await signer.sign(kid, input)}`
 */
export function encodeSigningInput(header: JwsHeader, claims: object): string {
  return `${encodeJson(header)}.${encodeJson(claims)}`;
}

function encodeJson(value: object): string {
  return encodeBase64url(JSON.stringify(value));
}

/**
 * Decodes a token, more strictly than RFC 7515 requires. Never throws, and verifies nothing. A token has at most 32
 * KiB, in exactly three segments of canonical base64url. Header and claims are strict JSON, without a duplicate name.
 * The header has exactly `alg`, `typ` and `kid`, so no embedded or referenced key, no `crit` and no `b64`. `alg` is
 * exactly ES256, and the signature has exactly 64 bytes.
 *
 * @param expected The type or types of token accepted here. `longest`: in characters, for a type that needs more room.
 */
export function decodeCompactJws(
  token: string,
  expected: { typ: TokenTyp | readonly TokenTyp[]; longest?: number },
): DecodedJws | JwsRefusal {
  if (typeof token !== 'string' || token.length > (expected.longest ?? LONGEST_JWS)) return MALFORMED;
  const segments = token.split('.', 4);
  const [encodedHeader, encodedClaims, signature] = segments;
  if (segments.length !== 3 || !encodedHeader || !encodedClaims || !signature) return MALFORMED;
  const header = toJwsHeader(decodeObject(encodedHeader));
  const claims = decodeObject(encodedClaims);
  if (header === undefined || claims === undefined) return MALFORMED;
  if (decodeBase64url(signature)?.length !== SIGNATURE_BYTES) return MALFORMED;
  const typs = typeof expected.typ === 'string' ? [expected.typ] : expected.typ;
  if (!typs.includes(header.typ)) return { ok: false, reason: 'not_a_permit', typ: header.typ };
  return { ok: true, header, claims, signingInput: `${encodedHeader}.${encodedClaims}`, signature };
}

function decodeObject(segment: string): JsonObject | undefined {
  const bytes = decodeBase64url(segment);
  if (bytes === undefined) return undefined;
  let value: JsonValue;
  try {
    value = parseStrictJson(bytes);
  } catch {
    return undefined;
  }
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
}

function toJwsHeader(properties: JsonObject | undefined): JwsHeader | undefined {
  if (properties === undefined || Object.keys(properties).length !== HEADER_PROPERTIES) return undefined;
  const { alg, kid } = properties;
  const typ = TOKEN_TYPS.find((known) => known === properties.typ);
  if (alg !== 'ES256' || typ === undefined || typeof kid !== 'string' || kid === '') return undefined;
  return { alg, typ, kid };
}
