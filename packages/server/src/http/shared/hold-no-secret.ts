import { decodeBase64url, type JsonObject, PERMIT_TYP } from '@permitry/protocol';

const KEY = /\bprm_(?:agent|secret|verify|user)_/;
const JWS_HEADER = /\beyJ[A-Za-z0-9_-]+(?=\.)/g;
const PERMIT_TYPS: readonly string[] = Object.values(PERMIT_TYP);

/** Members that repeat what somebody wrote: there a key is their own affair, and no reason to fail their request. */
const SOMEBODYS_WORDS: ReadonlySet<string> = new Set([
  'action',
  'params',
  'context',
  'metadata',
  'source',
  'approvers',
  'reason',
  'name',
  'labels',
  'fingerprint',
  'framework',
  'approved_by',
  'resolved_by',
  'by',
  'rule',
  'message',
  'fields',
]);

/** Whether an answer gives away a key or a permit token of the gate's making. */
export function givesSecret(body: JsonObject): boolean {
  return holdsSecret(
    JSON.stringify(body, (name, value: unknown) => (SOMEBODYS_WORDS.has(name) ? undefined : value)),
  );
}

/** Whether a key or a permit token stands anywhere in the text. A receipt's `jws` is evidence, no secret. */
function holdsSecret(text: string): boolean {
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
