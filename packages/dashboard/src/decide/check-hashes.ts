/** Whether what the page shows is what was hashed: computed here, by the same rule as on the server. Pure. */
import { canonicalJson, hashCanonical, intentHash, type JsonObject } from '@permitry/protocol';
import type { Wire } from '../api/wire.ts';

export type ShownIntent = Wire<'ConsoleIntent'>;

export type HashCheck =
  /** What is shown hashes to what the intent was signed under. `intentHash`: as computed here. */
  | { kind: 'same'; params: JsonObject; paramsHash: string; intentHash: string }
  /** It does not: nothing shown may be approved. */
  | { kind: 'different'; params: JsonObject; what: string }
  /** The texts were erased; the hashes tell of what stood there before. */
  | { kind: 'erased'; params: JsonObject };

/**
 * The parameters are read from the text that was hashed, so that what the tree shows and what the hash covers cannot
 * be two things.
 */
export function checkHashes(intent: ShownIntent): HashCheck {
  const params = readParams(intent.canonical_params);
  if (!params)
    return { kind: 'different', params: {}, what: 'The parameters are not in the form that is hashed.' };
  if (intent.erased_at !== null) return { kind: 'erased', params };
  const { hashed } = intent;
  const canonical = canonicalJson(params);
  if (canonical !== intent.canonical_params || hashCanonical(canonical) !== intent.params_hash) {
    return {
      kind: 'different',
      params,
      what: 'The parameters do not have the hash they were asked for under.',
    };
  }
  const whole = intentHash({ ...hashed, params }, canonical);
  const isThisOne = hashed.intent === intent.id && hashed.project === intent.project.id;
  if (whole !== intent.intent_hash || !isThisOne) {
    return {
      kind: 'different',
      params,
      what: 'What is shown does not have the hash this request was made under.',
    };
  }
  return { kind: 'same', params, paramsHash: intent.params_hash, intentHash: whole };
}

function readParams(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
