/** Compares two values, member by member. Pure. */

import type { JsonValue } from '@permitry/protocol';
import { childPointer, childrenOf, kindOf } from './tree-rows.ts';

export type Change =
  | { kind: 'added'; path: Path; after: JsonValue }
  | { kind: 'removed'; path: Path; before: JsonValue }
  | { kind: 'changed'; path: Path; before: JsonValue; after: JsonValue; delta: Delta | null };

/** Member names and item indexes, from the root inwards. */
export type Path = readonly (string | number)[];

/** The difference between two numbers. */
interface Delta {
  /** Signed, e.g. `+45` or `−0.5`. */
  by: string;
  /** E.g. `×10` or `+12 %`; null where it would add nothing. */
  relative: string | null;
}

/**
 * Every value that was added, removed or changed, in the order of the canonical text. Compares inside objects and
 * arrays that both sides have. Array items are compared by index.
 *
 * @example findChanges({ a: 1 }, { a: 2, b: null }) // a changed by +1, b added
 */
export function findChanges(before: JsonValue, after: JsonValue): Change[] {
  const changes: Change[] = [];
  compare([], before, after, changes);
  return changes;
}

function compare(path: Path, before: JsonValue, after: JsonValue, changes: Change[]): void {
  const kind = kindOf(after);
  if (kind !== kindOf(before) || (kind !== 'object' && kind !== 'array')) {
    if (before !== after || kind !== kindOf(before)) {
      changes.push({ kind: 'changed', path, before, after, delta: deltaOf(before, after) });
    }
    return;
  }
  const then = new Map(childrenOf(before).map(([name, value]) => [name, value]));
  const now = new Map(childrenOf(after).map(([name, value]) => [name, value]));
  for (const name of [...new Set([...then.keys(), ...now.keys()])].sort(byPosition)) {
    const old = then.get(name);
    const fresh = now.get(name);
    const at = [...path, name];
    if (old === undefined && fresh !== undefined) changes.push({ kind: 'added', path: at, after: fresh });
    else if (fresh === undefined && old !== undefined)
      changes.push({ kind: 'removed', path: at, before: old });
    else if (old !== undefined && fresh !== undefined) compare(at, old, fresh, changes);
  }
}

/** As in canonical JSON: names by UTF-16 code units, items by index. */
function byPosition(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return one === other ? 0 : String(one) < String(other) ? -1 : 1;
}

function deltaOf(before: JsonValue, after: JsonValue): Delta | null {
  if (typeof before !== 'number' || typeof after !== 'number') return null;
  // Subtracts decimal numbers as a person would: 0.3 − 0.1 is 0.2.
  const difference = Number((after - before).toPrecision(12));
  return {
    by: `${difference < 0 ? '−' : '+'}${Math.abs(difference)}`,
    relative: relativeChange(before, after),
  };
}

function relativeChange(before: number, after: number): string | null {
  if (before === 0 || after === 0 || before > 0 !== after > 0) return null;
  const factor = after / before;
  if (factor >= 2) return `×${short(factor)}`;
  if (factor <= 0.5) return `÷${short(1 / factor)}`;
  const percent = (factor - 1) * 100;
  return `${percent < 0 ? '−' : '+'}${short(Math.abs(percent))} %`;
}

/** Like the values beside it: as in JSON, without grouped digits, so a point is a decimal point in every region. */
function short(value: number): string {
  return String(value >= 100 ? Math.round(value) : Number(value.toPrecision(2)));
}

/** For headings and keys: `items / 3 / price`. */
export function pointerOf(path: Path): string {
  return path.reduce<string>((pointer, name) => childPointer(pointer, name), '');
}
