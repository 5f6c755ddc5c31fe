/** The functions that a condition may call. The gate refuses any other function when the policy is saved. */
import type { Evaluation } from './evaluation.ts';
import { ConditionFailure } from './failure.ts';
import { isInt64 } from './operators.ts';
import { toDuration, toTimestamp } from './time.ts';
import { isList, isMap, typeName, type Value } from './value.ts';

export interface ConditionFunction {
  /** Allowed numbers of arguments. A method's receiver does not count. */
  readonly arities: readonly number[];
  /** The receiver of a method comes first. */
  readonly call: (run: Evaluation, args: readonly Value[]) => Value;
}

function textAt(run: Evaluation, args: readonly Value[], position: number): string {
  const value = args[position] ?? null;
  if (typeof value !== 'string') throw new ConditionFailure(`a string is needed, not ${typeName(value)}`);
  run.chargeText(value.length);
  return value;
}

function indexAt(args: readonly Value[], position: number): number {
  const value = args[position];
  const index = typeof value === 'bigint' ? Number(value) : value;
  if (typeof index === 'number' && Number.isSafeInteger(index) && index >= 0) return index;
  throw new ConditionFailure('an index is a whole number from 0');
}

function sizeOf(run: Evaluation, value: Value): bigint {
  if (typeof value === 'string') {
    run.chargeText(value.length);
    let size = 0n;
    for (const _character of value) size++;
    return size;
  }
  if (isList(value)) return BigInt(value.length);
  if (isMap(value)) return BigInt(run.subject.keysOf(value).length);
  throw new ConditionFailure(`${typeName(value)} has no size`);
}

function substring(run: Evaluation, args: readonly Value[]): string {
  const text = textAt(run, args, 0);
  const start = indexAt(args, 1);
  const end = args.length > 2 ? indexAt(args, 2) : text.length;
  if (start > end || end > text.length) throw new ConditionFailure('substring() is out of range');
  return text.slice(start, end);
}

/**
 * The first argument is the text, the second is the text to find in it. The cost may reach the product of both lengths.
 */
function searched(run: Evaluation, args: readonly Value[]): { text: string; wanted: string } {
  const text = textAt(run, args, 0);
  const wanted = textAt(run, args, 1);
  run.charge(Math.ceil((text.length * wanted.length) / 512));
  return { text, wanted };
}

function contains(run: Evaluation, args: readonly Value[]): boolean {
  const { text, wanted } = searched(run, args);
  return text.includes(wanted);
}

function indexOf(run: Evaluation, args: readonly Value[]): bigint {
  const { text, wanted } = searched(run, args);
  return BigInt(text.indexOf(wanted));
}

function split(run: Evaluation, args: readonly Value[]): Value {
  const { text, wanted } = searched(run, args);
  const parts = text.split(wanted);
  run.charge(parts.length);
  return parts;
}

function toInt(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    const int = BigInt(Math.trunc(value));
    if (isInt64(int)) return int;
  } else if (typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value)) {
    const int = BigInt(value.replace('+', ''));
    if (isInt64(int)) return int;
  }
  throw new ConditionFailure(`int() cannot convert this ${typeName(value)}`);
}

function toDouble(value: Value): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' && /^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?$/i.test(value)) {
    const double = Number(value);
    if (Number.isFinite(double)) return double;
  }
  throw new ConditionFailure(`double() cannot convert this ${typeName(value)}`);
}

function toText(run: Evaluation, value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    run.charge(1);
    return String(value);
  }
  throw new ConditionFailure(`string() cannot convert ${typeName(value)}`);
}

function toBool(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new ConditionFailure(`bool() cannot convert this ${typeName(value)}`);
}

function toInstant(value: Value): Date {
  if (value instanceof Date) return value;
  if (typeof value === 'string') return toTimestamp(value);
  if (typeof value === 'number' || typeof value === 'bigint') return toTimestamp(Number(value));
  throw new ConditionFailure(`timestamp() cannot convert ${typeName(value)}`);
}

export const FUNCTIONS: ReadonlyMap<string, ConditionFunction> = new Map<string, ConditionFunction>([
  ['size', { arities: [1], call: (run, [value = null]) => sizeOf(run, value) }],
  ['int', { arities: [1], call: (_run, [value = null]) => toInt(value) }],
  ['double', { arities: [1], call: (_run, [value = null]) => toDouble(value) }],
  ['string', { arities: [1], call: (run, [value = null]) => toText(run, value) }],
  ['bool', { arities: [1], call: (_run, [value = null]) => toBool(value) }],
  ['dyn', { arities: [1], call: (_run, [value = null]) => value }],
  ['timestamp', { arities: [1], call: (_run, [value = null]) => toInstant(value) }],
  ['duration', { arities: [1], call: (run, args) => toDuration(textAt(run, args, 0)) }],
]);

export const METHODS: ReadonlyMap<string, ConditionFunction> = new Map<string, ConditionFunction>([
  ['size', { arities: [0], call: (run, [value = null]) => sizeOf(run, value) }],
  [
    'startsWith',
    { arities: [1], call: (run, args) => textAt(run, args, 0).startsWith(textAt(run, args, 1)) },
  ],
  ['endsWith', { arities: [1], call: (run, args) => textAt(run, args, 0).endsWith(textAt(run, args, 1)) }],
  ['contains', { arities: [1], call: contains }],
  ['indexOf', { arities: [1], call: indexOf }],
  // Folds only A to Z, because other letters could become these ("K", the Kelvin sign, becomes "k").
  [
    'lowerAscii',
    { arities: [0], call: (run, args) => textAt(run, args, 0).replace(/[A-Z]+/g, (s) => s.toLowerCase()) },
  ],
  [
    'upperAscii',
    { arities: [0], call: (run, args) => textAt(run, args, 0).replace(/[a-z]+/g, (s) => s.toUpperCase()) },
  ],
  ['trim', { arities: [0], call: (run, args) => textAt(run, args, 0).trim() }],
  ['substring', { arities: [1, 2], call: substring }],
  ['split', { arities: [1], call: split }],
]);
