/**
 * Whether parameters fit the constraints of a mandate. The world is closed: each leaf of the parameters is named by
 * exactly one constraint, and everything that no constraint names does not fit. The rules are short on purpose, so that
 * anybody can check them in another language (`docs/mandates.md`).
 */
import { canonicalJson } from '../canonical-json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { jsonPointer, pointerSteps } from '../json-pointer.ts';
import { isObject } from '../properties.ts';
import { toMillionths } from './amount.ts';
import type { AmountLimit, Constraint, ConstraintKind, ScalarKind } from './mandate-document.ts';

/** The first place that does not fit, or null when all do. */
export type Misfit = { path: string; why: 'not_named' | 'missing' | 'does_not_fit' } | null;

/**
 * The first place of the parameters that does not fit, in the order of the parameters; then the first constraint whose
 * value is missing.
 *
 * @param constraints With distinct paths, none inside another.
 * @example findMisfit({ amount: 60 }, [{ path: '/amount', at_most: 50 }]) // { path: '/amount', why: 'does_not_fit' }
 */
export function findMisfit(params: JsonObject, constraints: readonly Constraint[]): Misfit {
  const named = new Map(constraints.map((constraint) => [constraint.path, constraint]));
  const met = new Set<string>();

  const misfitAt = (value: JsonValue, path: string, isNameable: boolean): Misfit => {
    const constraint = isNameable ? named.get(path) : undefined;
    if (constraint) {
      met.add(path);
      return fits(value, constraint) ? null : { path, why: 'does_not_fit' };
    }
    const children = childrenOf(value);
    if (children.length === 0) return { path, why: 'not_named' };
    for (const { step, child, isNamedByPointer } of children) {
      const misfit = misfitAt(child, path + jsonPointer([step]), isNameable && isNamedByPointer);
      if (misfit) return misfit;
    }
    return null;
  };

  // The parameters as a whole are not a leaf: `{}` has nothing that a constraint could name.
  const misfit = childrenOf(params).length === 0 ? null : misfitAt(params, '', true);
  if (misfit) return misfit;
  const missing = constraints.find(({ path, optional }) => !optional && !met.has(path));
  return missing ? { path: missing.path, why: 'missing' } : null;
}

/** The index of an array's element in a JSON Pointer (RFC 6901 §4). */
const INDEX = /^(?:0|[1-9]\d*)$/;

interface Child {
  step: string | number;
  child: JsonValue;
  /**
   * False for a member such as `"0"`: its pointer equals that of an array's element, and no constraint may mean both.
   */
  isNamedByPointer: boolean;
}

function childrenOf(value: JsonValue): Child[] {
  if (Array.isArray(value)) {
    return value.map((child, step) => ({ step, child, isNamedByPointer: true }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).map(([step, child]) => ({ step, child, isNamedByPointer: !INDEX.test(step) }));
}

function fits(value: JsonValue, kind: ConstraintKind | ScalarKind): boolean {
  if ('anything' in kind) return true;
  if ('equals' in kind) return isSame(value, kind.equals);
  if ('one_of' in kind) return kind.one_of.some((allowed) => isSame(value, allowed));
  if ('under' in kind) return typeof value === 'string' && isUnder(value, kind.under);
  if ('each' in kind) {
    return (
      Array.isArray(value) &&
      value.length <= kind.at_most_items &&
      value.every((item) => isScalar(item) && fits(item, kind.each))
    );
  }
  if (typeof value !== 'number') return false;
  const { at_least: least = 0, at_most: most = Number.POSITIVE_INFINITY } = kind as {
    at_least?: number;
    at_most?: number;
  };
  return value >= least && value <= most;
}

/** Equality of the RFC 8785 texts: `1` and `1.0` are one number, `1` and `"1"` are not the same. */
function isSame(one: JsonValue, other: JsonValue): boolean {
  if (isScalar(one) || isScalar(other)) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}

const SEGMENTS = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;

/** Whether a text has one segment or more, none of them empty, `.` or `..`. */
export function isPlainPath(text: string): boolean {
  return SEGMENTS.test(text) && !text.split('/').some((segment) => segment === '.' || segment === '..');
}

/** @example isUnder('/srv/www/index.html', '/srv/www') // true */
function isUnder(value: string, base: string): boolean {
  const start = base.endsWith('/') ? base : `${base}/`;
  return value.startsWith(start) && isPlainPath(value.slice(start.length));
}

/**
 * The amounts of a request in millionths, in the order of the limits. Undefined when an amount is missing or cannot be
 * counted; the entry then does not cover the request.
 */
export function amountsOf(params: JsonObject, limits: readonly AmountLimit[]): bigint[] | undefined {
  const amounts = limits.map(({ path }) => {
    const value = valueAt(params, path);
    return typeof value === 'number' ? toMillionths(value) : undefined;
  });
  return amounts.every((amount) => amount !== undefined) ? amounts : undefined;
}

/** The value at a JSON Pointer, or undefined. */
function valueAt(params: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = params;
  for (const step of pointerSteps(pointer)) {
    if (Array.isArray(value)) value = INDEX.test(step) ? value[Number(step)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, step) && !INDEX.test(step) ? value[step] : undefined;
  }
  return value;
}
