import type { JsonValue } from '@permitry/protocol';
import type { Intent } from '../../intents/intent.ts';

/** Below this an intent counts with about what it holds. */
const LIGHT_BYTES = 16 * 1024;
/** Every other one: what 256 KiB of JSON, the most that is accepted, may take in memory. */
const HEAVY_BYTES = 1024 * 1024;
const VALUE_BYTES = 16;

/** About the memory that is kept while the intent is. Costs no more for the largest than for a middling one. */
export function weighIntent({ params, metadata }: Pick<Intent, 'params' | 'metadata'>): number {
  let bytes = 0;
  const rest: JsonValue[] = [params, metadata];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    bytes += VALUE_BYTES;
    if (typeof value === 'string') bytes += value.length;
    else if (Array.isArray(value)) {
      bytes += VALUE_BYTES * value.length;
      if (bytes < LIGHT_BYTES) rest.push(...value);
    } else if (value !== null && typeof value === 'object') {
      for (const name in value) {
        const property = value[name];
        bytes += VALUE_BYTES + name.length;
        if (bytes >= LIGHT_BYTES) return HEAVY_BYTES;
        if (property !== undefined) rest.push(property);
      }
    }
    if (bytes >= LIGHT_BYTES) return HEAVY_BYTES;
  }
  return bytes;
}
