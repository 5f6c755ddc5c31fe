import { type CanonicalJson, canonicalJson, canonicalString } from './canonical-json.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { sha256Hex } from './sha256.ts';
import type { RiskTier, SourceType } from './vocabulary.ts';

/** A SHA-256 as it stands on the wire: `sha256:` and 64 lower-case hexadecimal digits. */
export type Sha256Hash = `sha256:${string}`;

const SHA256_HASH = /^sha256:[0-9a-f]{64}$/;

/** Whether a text has the form of a hash on the wire; other algorithms and upper case have not. */
export function isSha256Hash(text: unknown): text is Sha256Hash {
  return typeof text === 'string' && SHA256_HASH.test(text);
}

/**
 * Hash of a JSON value: SHA-256 over its canonical text (RFC 8785). `params_hash` is that of an action's
 * parameters, `policy_hash` that of the policy document in force.
 *
 * @throws TypeError for anything that is not a JSON value.
 * @example hashJson({ amount: 1.0 }) === hashJson({ amount: 1 }) // true
 */
export function hashJson(value: JsonValue): Sha256Hash {
  return hashCanonical(canonicalJson(value));
}

/** Hash of a JSON value whose canonical text is known already. */
export function hashCanonical(text: CanonicalJson): Sha256Hash {
  return `sha256:${sha256Hex(text)}`;
}

/** All that an approver is shown of an intent, by the names in which it is hashed. */
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
 * Hash of the whole intent: what people see is what they sign.
 *
 * @param canonicalParams The canonical text of `params`, for who has it already.
 * @throws TypeError when `params` or `metadata` hold what is not JSON.
 */
export function intentHash(
  intent: IntentHashInput,
  canonicalParams: CanonicalJson = canonicalJson(intent.params),
): Sha256Hash {
  // Named one by one, so that a member more on the object handed in cannot change the hash.
  return hashCanonical(
    (`{"action":${canonicalString(intent.action)},"expires_at":${canonicalString(intent.expires_at)}` +
      `,"intent":${canonicalString(intent.intent)},"metadata":${canonicalJson(intent.metadata)}` +
      `,"params":${canonicalParams},"project":${canonicalString(intent.project)}` +
      `,"requester":${canonicalString(intent.requester)},"risk_tier":${canonicalString(intent.risk_tier)}` +
      `,"source":${canonicalString(intent.source)},"source_type":${canonicalString(intent.source_type)}}`) as CanonicalJson,
  );
}
