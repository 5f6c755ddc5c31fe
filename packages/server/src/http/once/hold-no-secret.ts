import type { JsonObject, JsonValue } from '@permitry/protocol';

/**
 * The places where answers carry keys, secrets and permit tokens that the gate made. Other members contain text of
 * callers, whatever it looks like.
 */
const SECRET_PROPERTIES: readonly ((body: JsonObject) => JsonValue | undefined)[] = [
  (body) => body.key,
  (body) => body.permit_token,
  (body) => body.secret,
  ({ permit }) => (permit && typeof permit === 'object' && !Array.isArray(permit) ? permit.token : undefined),
];

const KEY = /^(prm_(agent|secret|verify|user)|whsec)_/;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Whether an answer reveals a key, a secret or a permit token. */
export function givesSecret(body: JsonObject): boolean {
  return SECRET_PROPERTIES.some((read) => {
    const text = read(body);
    return typeof text === 'string' && (KEY.test(text) || COMPACT_JWS.test(text));
  });
}
