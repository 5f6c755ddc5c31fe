// As with SHA-256, Node brings a version that is several times as fast; browsers get the portable one. See `imports` in
// package.json.
import { decodeBase64url as platformDecode, encodeBase64url as platformEncode } from '#base64url';

/** Base64url without padding (RFC 4648 §5, RFC 7515 §2), of bytes or of a text's UTF-8. */
export const encodeBase64url: (input: string | Uint8Array) => string = platformEncode;

/**
 * Undefined for every text except the one that `encodeBase64url` would write. So: no padding, no foreign character, no
 * impossible length, no bits set after the last byte.
 */
export const decodeBase64url: (text: string) => Uint8Array<ArrayBuffer> | undefined = platformDecode;
