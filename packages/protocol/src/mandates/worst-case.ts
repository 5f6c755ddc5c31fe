/** The most that a mandate allows: how often, and how much of each unit. */
import type { JsonValue } from '../json.ts';
import { formatMillionths, toMillionths } from './amount.ts';
import type { AmountLimit, Constraint, MandateDocument, MandateEntry } from './mandate-document.ts';

export interface WorstCase {
  /** Requests in all: the sum of the entries, or the number of steps. */
  uses: number;
  /** The sums of the entries, one for each unit. No limit spans entries, so they add up. */
  amounts: WorstAmount[];
}

interface WorstAmount {
  /** The text of the unit; null: any unit. */
  unit: string | null;
  /** A decimal text; null: no limit on the amount in all. */
  at_most: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * @param startsAt When it begins, in ISO 8601: its start, or its approval.
 * @example worstCaseOf(document, now) // { uses: 200, amounts: [{ unit: 'EUR', at_most: '2000' }] }
 */
export function worstCaseOf(document: MandateDocument, startsAt: string): WorstCase {
  if ('steps' in document) return { uses: document.steps.length, amounts: [] };
  const lasts = Date.parse(document.ends_at) - Date.parse(startsAt);
  // A day of the limits may begin at any time, so the mandate can touch one day more than its length in days.
  const days = Math.max(1, Math.ceil(lasts / DAY_MS) + 1);
  const sums = new Map<string | null, bigint | null>();
  for (const entry of document.entries) {
    for (const limit of entry.limits.amounts ?? []) {
      const unit = unitOf(limit, entry.constraints);
      const most = mostOf(limit, entry, days);
      const before = sums.get(unit);
      sums.set(unit, most === null || before === null ? null : (before ?? 0n) + most);
    }
  }
  return {
    uses: document.entries.reduce((sum, { limits }) => sum + limits.uses.total, 0),
    amounts: [...sums].map(([unit, sum]) => ({ unit, at_most: sum === null ? null : formatMillionths(sum) })),
  };
}

/** The text that the entry fixes as the unit; null: none. */
export function unitOf({ unit }: AmountLimit, constraints: readonly Constraint[]): string | null {
  const fixed = constraints.find(({ path }) => path === unit);
  return fixed && 'equals' in fixed && typeof fixed.equals === 'string' ? fixed.equals : null;
}

/** The smallest of the limits that bound the sum of one amount; null: none does. */
function mostOf(limit: AmountLimit, { constraints, limits }: MandateEntry, days: number): bigint | null {
  const each = largestOf(constraints.find(({ path }) => path === limit.path));
  const perDay = millionths(limit.per_day);
  const bounds = [
    millionths(limit.total),
    perDay === null ? null : perDay * BigInt(days),
    each === null ? null : each * BigInt(limits.uses.total),
  ].filter((bound) => bound !== null);
  return bounds.length === 0 ? null : bounds.reduce((least, bound) => (bound < least ? bound : least));
}

/** The largest number that the constraint allows; null: any. */
function largestOf(constraint: Constraint | undefined): bigint | null {
  if (!constraint) return null;
  if ('at_most' in constraint) return millionths(constraint.at_most);
  if ('equals' in constraint) return millionths(constraint.equals);
  if (!('one_of' in constraint)) return null;
  return constraint.one_of.map(millionths).reduce((most, value) => {
    return most === null || value === null ? null : value > most ? value : most;
  });
}

function millionths(value: JsonValue | undefined): bigint | null {
  return typeof value === 'number' ? (toMillionths(value) ?? null) : null;
}
