/** The values of a condition. Numbers in a request are doubles (I-JSON), and integer literals are 64-bit ints. */
export type Value = null | boolean | number | bigint | string | Date | Duration | readonly Value[] | MapValue;

export interface MapValue {
  readonly [property: string]: Value;
}

/** A length of time, from `duration('90m')` or the difference of two timestamps. */
export class Duration {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether the value is a JSON object. False for other JavaScript objects. */
export function isMap(value: Value): value is MapValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Duration)
  );
}

export function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The value's type in CEL's words, for messages, which never contain the value itself. */
export function typeName(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (value instanceof Date) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  return isList(value) ? 'list' : 'map';
}
