/** Compares the parameters with those of the last approval of the same action. Pure. */
import type { JsonObject } from '@permitry/protocol';
import { type Change, findChanges, pointerOf } from '../parameter-tree/difference.ts';
import type { HashCheck, ShownIntent } from './check-hashes.ts';
import * as words from './decide.words.ts';

export interface Compared {
  changes: readonly Change[];
  /** One sentence for the top of the page. */
  summary: string;
  /** By JSON pointer, for the rows of the tree. */
  notes: ReadonlyMap<string, string>;
}

/** Null when there is nothing to compare with, or nothing reliable. */
export function compareWithLast(intent: ShownIntent, check: HashCheck): Compared | null {
  if (!intent.previous || check.kind !== 'same') return null;
  const changes = findChanges(JSON.parse(intent.previous.canonical_params) as JsonObject, check.params);
  return { changes, summary: summarise(changes), notes: new Map(changes.flatMap(noteOf)) };
}

function summarise(changes: readonly Change[]): string {
  if (changes.length === 0) return words.sameAsLastTime;
  const count = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).length;
  return words.sinceLastApproval(count('changed'), count('added'), count('removed'));
}

/** A short note. It may contain numbers but no foreign text, because the comparison shows the rest. */
function noteOf(change: Change): [string, string][] {
  const pointer = pointerOf(change.path);
  if (change.kind === 'removed') return [];
  if (change.kind === 'added') return [[pointer, words.isNew]];
  const { before, delta } = change;
  if (typeof before !== 'number' || delta === null) return [[pointer, words.isChanged]];
  return [[pointer, words.numberBefore(before, delta.relative ?? delta.by)]];
}
