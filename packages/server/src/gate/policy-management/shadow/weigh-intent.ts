import type { JsonValue } from '@permitry/protocol';
import type { Intent } from '../../intents/intent.ts';

/** Up to this size, the weight of an intent is about its real size. */
const LIGHT_BYTES = 16 * 1024;
/**
 * The weight of every larger intent: the memory that 256 KiB of JSON may occupy, which is the most that the gate
 * accepts.
 */
const HEAVY_BYTES = 1024 * 1024;
const VALUE_BYTES = 16;

/**
 * Estimates the memory that the intent occupies. Weighing the largest intent takes no longer than weighing a medium
 * one.
 */
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
