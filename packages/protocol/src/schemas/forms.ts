/** Wire forms that values of several kinds share. */
import Type from 'typebox';
import type { JsonObject } from '../json.ts';

/** An object that refuses unknown members. */
export function StrictObject<P extends Type.TProperties>(properties: P, options: Type.TObjectOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

export function Nullable<T extends Type.TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** One of our ids: a prefix and 26 characters, opaque to callers. */
export function Id(prefix: string, description: string) {
  return Type.String({ pattern: `^${prefix}_[0-9a-z]{26}$`, description });
}

export const INSTANT_PATTERN = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';

export const Timestamp = Type.String({
  pattern: INSTANT_PATTERN,
  description: 'ISO 8601, UTC, milliseconds.',
  examples: ['2026-11-20T09:30:00.000Z'],
});

export const Hash = Type.String({
  pattern: '^sha256:[0-9a-f]{64}$',
  description: '<algorithm>:<hex digest>',
});

export const FreeObject = Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true });

/** The database stores texts in text columns, and not every database can hold a NUL there. */
export const WITHOUT_NUL = '^[^\\u0000]*$';
