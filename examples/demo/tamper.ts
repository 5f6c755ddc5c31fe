import { decodeBase64url, encodeBase64url } from '@permitry/protocol';

/** The same permit with another amount's hash and the old signature, as a forger could make it. */
export function tamperWith(token: string, paramsHash: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(new TextDecoder().decode(decodeBase64url(payload))) as Record<string, unknown>;
  const forged = new TextEncoder().encode(JSON.stringify({ ...claims, params_hash: paramsHash }));
  return [header, encodeBase64url(forged), signature].join('.');
}
