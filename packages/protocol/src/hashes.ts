import { type CanonicalJson, canonicalJson, canonicalString } from './canonical-json.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { sha256Hex } from './sha256.ts';
import type { RiskTier, SourceType } from './vocabulary.ts';

/** A SHA-256 as on the wire: `sha256:` and 64 lower-case hexadecimal digits. */
export type Sha256Hash = `sha256:${string}`;

const SHA256_HASH = /^sha256:[0-9a-f]{64}$/;

/** Whether a text has the form of a hash on the wire. Refuses other algorithms and upper case. */
export function isSha256Hash(text: unknown): text is Sha256Hash {
  return typeof text === 'string' && SHA256_HASH.test(text);
}

/**
 * Hash of a JSON value: SHA-256 over its canonical text (RFC 8785). `params_hash` covers an action's parameters,
 * `policy_hash` the active policy document.
 *
 * @throws TypeError for anything that is not a JSON value.
 * @example hashJson({ amount: 1.0 }) === hashJson({ amount: 1 }) // true
 */
export function hashJson(value: JsonValue): Sha256Hash {
  return hashCanonical(canonicalJson(value));
}

/** Hash of a JSON value whose canonical text the caller already has. */
export function hashCanonical(text: CanonicalJson): Sha256Hash {
  return `sha256:${sha256Hex(text)}`;
}

/** Everything about an intent that an approver is shown, under the names in which it is hashed. */
export interface IntentHashInput {
  /** Project id. */
  project: string;
  /** Intent id. */
  intent: string;
  action: string;
  params: JsonObject;
  /** As in the permit's `sub`: `agt_…`, or `key:key_…`. */
  requester: string;
  source: string | null;
  source_type: SourceType;
  risk_tier: RiskTier;
  metadata: JsonObject;
  /** ISO 8601 in UTC. */
  expires_at: string;
}

/**
 * Hash of the whole intent, so that people sign exactly what they see.
 *
 * @param canonicalParams The canonical text of `params`, if you have it already.
 * @throws TypeError when `params` or `metadata` contain a value that is not JSON.
 */
export function intentHash(
  intent: IntentHashInput,
  canonicalParams: CanonicalJson = canonicalJson(intent.params),
): Sha256Hash {
  // Named one by one, so that an extra member of the object passed in cannot change the hash.
  return hashCanonical(
    (`{"action":${canonicalString(intent.action)},"expires_at":${canonicalString(intent.expires_at)}` +
      `,"intent":${canonicalString(intent.intent)},"metadata":${canonicalJson(intent.metadata)}` +
      `,"params":${canonicalParams},"project":${canonicalString(intent.project)}` +
      `,"requester":${canonicalString(intent.requester)},"risk_tier":${canonicalString(intent.risk_tier)}` +
      `,"source":${canonicalString(intent.source)},"source_type":${canonicalString(intent.source_type)}}`) as CanonicalJson,
  );
}
