import type { Instant } from './instant.ts';
import { invalidFields } from './invalid-fields.ts';

/** A day, or a moment with its time zone. A moment without a zone would depend on the server's zone. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Normalises a caller's instant to the one spelling that compares as text.
 *
 * @throws GateError `invalid_fields`
 */
export function parseInstant(path: string, text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined;
  const at = new Date(ISO_8601.test(text) ? text : Number.NaN);
  if (Number.isNaN(at.getTime())) {
    throw invalidFields({ path, message: 'Must be an ISO 8601 timestamp with its zone, or a date.' });
  }
  return at.toISOString();
}
