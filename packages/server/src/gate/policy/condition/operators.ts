/** The operators of CEL over the values of a condition. Each returns a result or fails. */
import type { Evaluation } from './evaluation.ts';
import { ConditionFailure } from './failure.ts';
import { Duration, isList, isMap, isNumber, type MapValue, typeName, type Value } from './value.ts';

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

export function isInt64(value: bigint): boolean {
  return value <= MAX_INT && value >= MIN_INT;
}

function asInt(value: bigint): bigint {
  if (!isInt64(value)) throw new ConditionFailure('integer overflow');
  return value;
}

function mapsEqual(run: Evaluation, left: MapValue, right: MapValue): boolean {
  const keys = run.subject.keysOf(left);
  if (keys.length !== run.subject.keysOf(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && equals(run, left[key] ?? null, right[key] ?? null));
}

/** Numbers compare by value whatever their type. Values of different types are unequal. */
export function equals(run: Evaluation, left: Value, right: Value): boolean {
  run.charge(1);
  if (left === right) return true;
  // biome-ignore lint/suspicious/noDoubleEquals: between int and double `==` compares mathematical values.
  if (isNumber(left) && isNumber(right)) return left == right;
  if (typeof left === 'string') {
    // Different texts of equal length are compared character by character.
    if (typeof right === 'string' && left.length === right.length) run.charge(left.length >> 6);
    return false;
  }
  if (left === null || typeof left !== 'object' || right === null || typeof right !== 'object') return false;
  if (left instanceof Date || right instanceof Date) {
    return left instanceof Date && right instanceof Date && left.getTime() === right.getTime();
  }
  if (left instanceof Duration || right instanceof Duration) {
    return left instanceof Duration && right instanceof Duration && left.milliseconds === right.milliseconds;
  }
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false;
    return left.every((element, index) => equals(run, element, right[index] ?? null));
  }
  return isMap(left) && isMap(right) && mapsEqual(run, left, right);
}

/** Whether a list contains an element, or a map a key. */
export function includes(run: Evaluation, container: Value, value: Value): boolean {
  if (isList(container)) return container.some((element) => equals(run, value, element));
  if (isMap(container)) return typeof value === 'string' && Object.hasOwn(container, value);
  throw new ConditionFailure(`"in" needs a list or a map, not ${typeName(container)}`);
}

/**
 * Negative, zero or positive, as the left is less than, equal to or greater than the right. Numbers compare across int
 * and double.
 */
export function compare(run: Evaluation, left: Value, right: Value): number {
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === 'string' && typeof right === 'string') {
    run.charge(Math.min(left.length, right.length) >> 6);
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  if (left instanceof Duration && right instanceof Duration) return left.milliseconds - right.milliseconds;
  throw new ConditionFailure(`${typeName(left)} and ${typeName(right)} have no order`);
}

type Arithmetic = '+' | '-' | '*' | '/' | '%';

function intArithmetic(operator: Arithmetic, left: bigint, right: bigint): bigint {
  if ((operator === '/' || operator === '%') && right === 0n) throw new ConditionFailure('division by zero');
  switch (operator) {
    case '+':
      return asInt(left + right);
    case '-':
      return asInt(left - right);
    case '*':
      return asInt(left * right);
    case '/':
      return asInt(left / right);
    case '%':
      return left % right;
  }
}

/**
 * Fails on infinity and NaN, because they compare in ways that nobody means (a total divided by -0 is less than every
 * limit).
 */
function asFinite(value: number): number {
  if (!Number.isFinite(value)) throw new ConditionFailure('a result is not a finite number');
  return value;
}

function doubleArithmetic(operator: Arithmetic, left: number, right: number): number {
  switch (operator) {
    case '+':
      return asFinite(left + right);
    case '-':
      return asFinite(left - right);
    case '*':
      return asFinite(left * right);
    case '/':
      if (right === 0) throw new ConditionFailure('division by zero');
      return asFinite(left / right);
    case '%':
      // Whole numbers in a request are doubles here. A remainder of fractions is never intended.
      if (!Number.isSafeInteger(left) || !Number.isSafeInteger(right) || right === 0) {
        throw new ConditionFailure('"%" needs whole numbers and a divisor other than zero');
      }
      return left % right;
  }
}

/** Fails on a date beyond the range of Date, which would be neither before nor after any other. */
function asDate(milliseconds: number): Date {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) throw new ConditionFailure('a timestamp is out of range');
  return date;
}

function timeArithmetic(operator: Arithmetic, left: Value, right: Value): Value | undefined {
  if (operator !== '+' && operator !== '-') return undefined;
  const sign = operator === '+' ? 1 : -1;
  if (left instanceof Duration && right instanceof Duration) {
    return new Duration(asFinite(left.milliseconds + sign * right.milliseconds));
  }
  if (left instanceof Date && right instanceof Duration) {
    return asDate(left.getTime() + sign * right.milliseconds);
  }
  if (operator === '+' && left instanceof Duration && right instanceof Date) {
    return asDate(right.getTime() + left.milliseconds);
  }
  if (operator === '-' && left instanceof Date && right instanceof Date) {
    return new Duration(left.getTime() - right.getTime());
  }
  return undefined;
}

/** An int and a double give a double. `+` also joins texts and lists. */
export function arithmetic(run: Evaluation, operator: Arithmetic, left: Value, right: Value): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return intArithmetic(operator, left, right);
  if (isNumber(left) && isNumber(right)) return doubleArithmetic(operator, Number(left), Number(right));
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') {
    run.chargeText(left.length + right.length);
    return left + right;
  }
  if (operator === '+' && isList(left) && isList(right)) {
    run.charge(left.length + right.length);
    return [...left, ...right];
  }
  const time = timeArithmetic(operator, left, right);
  if (time !== undefined) return time;
  throw new ConditionFailure(`"${operator}" does not take ${typeName(left)} and ${typeName(right)}`);
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint') return asInt(-value);
  if (typeof value === 'number') return -value;
  throw new ConditionFailure(`"-" does not take ${typeName(value)}`);
}

/**
 * An own member of a map, or an element of a list. Never an inherited member. Messages call the selected member `text`.
 */
export function elementOf(container: Value, key: Value, text: string): Value {
  if (isMap(container) && typeof key === 'string') {
    const value = Object.hasOwn(container, key) ? container[key] : undefined;
    if (value !== undefined) return value;
  } else if (isList(container) && isNumber(key)) {
    const index = Number(key);
    const value = Number.isSafeInteger(index) && index >= 0 ? container[index] : undefined;
    if (value !== undefined) return value;
  }
  throw new ConditionFailure(`"${text}" is absent`);
}
