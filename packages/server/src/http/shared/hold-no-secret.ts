import { decodeBase64url, PERMIT_TYP } from '@permitry/protocol';

const KEY = /\bprm_(?:agent|secret|verify|user)_/;
const JWS_HEADER = /\beyJ[A-Za-z0-9_-]+(?=\.)/g;
const PERMIT_TYPS: readonly string[] = Object.values(PERMIT_TYP);

/** Whether a key or a permit token stands anywhere in the text. A receipt's `jws` is evidence, no secret. */
export function holdsSecret(text: string): boolean {
  return KEY.test(text) || [...text.matchAll(JWS_HEADER)].some(([header]) => isPermitHeader(header));
}

function isPermitHeader(segment: string): boolean {
  try {
    const header = JSON.parse(new TextDecoder().decode(decodeBase64url(segment))) as { typ?: unknown };
    return typeof header.typ === 'string' && PERMIT_TYPS.includes(header.typ);
  } catch {
    return false;
  }
}
