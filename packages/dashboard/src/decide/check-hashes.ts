/** Checks that the page shows exactly what was hashed. Computes the hashes here, by the server's rule. Pure. */
import { canonicalJson, hashCanonical, intentHash, type JsonObject } from '@permitry/protocol';
import type { Wire } from '../api/wire.ts';
import * as words from './decide.words.ts';

export type ShownIntent = Wire<'ConsoleIntent'>;

export type HashCheck =
  /**
   * The shown parameters, and the intent as a whole, have the hashes that the gate sent. `intentHash` is computed here.
   */
  | { kind: 'same'; params: JsonObject; paramsHash: string; intentHash: string }
  /** The hashes differ: nobody may approve this request. */
  | { kind: 'different'; params: JsonObject; what: string }
  /** The texts were erased; only their hashes remain. */
  | { kind: 'erased'; params: JsonObject };

/** Reads the parameters from the text that was hashed, so that the tree and the hash always cover the same values. */
export function checkHashes(intent: ShownIntent): HashCheck {
  const params = readParams(intent.canonical_params);
  if (!params) return { kind: 'different', params: {}, what: words.mismatchNotAnObject };
  if (intent.erased_at !== null) return { kind: 'erased', params };
  const { hashed } = intent;
  const canonical = canonicalJson(params);
  if (canonical !== intent.canonical_params || hashCanonical(canonical) !== intent.params_hash) {
    return { kind: 'different', params, what: words.mismatchParameters };
  }
  const whole = intentHash({ ...hashed, params }, canonical);
  const isThisOne = hashed.intent === intent.id && hashed.project === intent.project.id;
  if (whole !== intent.intent_hash || !isThisOne) {
    return { kind: 'different', params, what: words.mismatchWhole };
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
