// Web Crypto's digest is asynchronous, but rules that hash must be synchronous. Node brings a synchronous one; browsers
// get the portable one. See `imports` in package.json.
import { sha256Hex as platformSha256Hex } from '#sha256';

/**
 * SHA-256 (FIPS 180-4) of bytes, or of a text's UTF-8, as 64 lower-case hexadecimal digits. Synchronous in Node and in
 * browsers.
 *
 * @example sha256Hex('abc') // 'ba7816bf…f20015ad'
 */
export const sha256Hex: (input: string | Uint8Array) => string = platformSha256Hex;
