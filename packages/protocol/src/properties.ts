/** Checks decoded JSON against exact member sets. A missing, extra or wrongly typed member fails. */
import type { JsonObject } from './json.ts';

/** One check for each member of `T`; the compiler requires all of them. */
export type PropertyChecks<T> = { readonly [K in keyof T]-?: (value: unknown) => boolean };

/** Whether the value is an object with exactly these members, each of which passes its check. */
export function hasExactly<T>(value: unknown, checks: PropertyChecks<T>): value is T {
  if (!isObject(value)) return false;
  const names = Object.keys(checks) as (keyof T & string)[];
  return (
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name) && checks[name](value[name]))
  );
}

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** A text of 1 to 2048 characters. */
export function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 2048;
}

/** An integer from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Integer seconds since the epoch (RFC 7519 NumericDate, without fractions). */
export function isEpochSeconds(value: unknown): value is number {
  return isCount(value);
}

export function isOneOf<T extends string>(words: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => (words as readonly unknown[]).includes(value);
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** ISO 8601 in UTC with milliseconds and `Z`, for a moment that exists. */
export function isInstant(value: unknown): value is string {
  if (typeof value !== 'string' || !INSTANT.test(value)) return false;
  const milliseconds = Date.parse(value);
  // Date.parse turns 31 February into a day in March.
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === value;
}

const ACTION = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/**
 * Whether a text is the name of an action: at most 128 letters, digits and `._:/-`, beginning with a letter or digit.
 */
export function isAction(value: unknown): value is string {
  return typeof value === 'string' && ACTION.test(value);
}
