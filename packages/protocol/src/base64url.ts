// As with SHA-256: Node brings one that is several times as quick, browsers get the portable one (see `imports` in
// package.json).
import { decodeBase64url as platformDecode, encodeBase64url as platformEncode } from '#base64url';

/** Base64url without padding (RFC 4648 §5, RFC 7515 §2), of bytes or of a text's UTF-8. */
export const encodeBase64url: (input: string | Uint8Array) => string = platformEncode;

/**
 * Undefined for every text but the one that `encodeBase64url` would write: no padding, no foreign character, no
 * length that base64 cannot have, no bits set behind the last byte.
 */
export const decodeBase64url: (text: string) => Uint8Array<ArrayBuffer> | undefined = platformDecode;
