/** Which events a webhook wants: event types, and groups of them such as `intent.*`. */
import { EVENT_TYPES } from '@permitry/protocol';
import type { FieldProblem } from '../kernel/errors.ts';

/** @param wanted Null: all types. */
export function wantsType(wanted: readonly string[] | null, type: string): boolean {
  return wanted === null || wanted.some((entry) => matches(entry, type));
}

export function findTypeProblems(wanted: readonly string[]): FieldProblem[] {
  return wanted.flatMap((entry, index) =>
    EVENT_TYPES.some((type) => matches(entry, type))
      ? []
      : [{ path: `/event_types/${index}`, message: 'Must be an event type, or a group such as intent.*.' }],
  );
}

function matches(entry: string, type: string): boolean {
  return entry === type || (entry.endsWith('.*') && type.startsWith(entry.slice(0, -1)));
}
