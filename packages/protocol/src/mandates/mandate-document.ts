/**
 * The document of a mandate: an approval given in advance, for an agent, with limits and an end. People approve it as a
 * whole, and its hash is in their receipt.
 */
import type { JsonObject, JsonValue } from '../json.ts';

type JsonScalar = null | boolean | number | string;

/** What one value may be. Exactly one kind. */
export type ConstraintKind =
  | { equals: JsonValue }
  | { one_of: JsonScalar[] }
  /** Numbers, ends included. Without `at_least`, at least 0. */
  | { at_most: number; at_least?: number }
  | { at_least: number }
  /** The value is this path and at least one segment more. */
  | { under: string }
  /** An array of scalars, each of which fits. */
  | { each: ScalarKind; at_most_items: number }
  | { anything: true };

export type ScalarKind =
  | { equals: JsonScalar }
  | { one_of: JsonScalar[] }
  | { at_most: number; at_least?: number }
  | { at_least: number }
  | { under: string }
  | { anything: true };

/** One value or branch of the parameters, by its JSON Pointer (RFC 6901), and what it may be. */
export type Constraint = { path: string; optional?: true } & ConstraintKind;

/** A number of the parameters that is added up. At least one of the limits is given. */
export interface AmountLimit {
  path: string;
  /** JSON Pointer of the currency or unit, which `equals` fixes in the same entry; null: any unit. */
  unit: string | null;
  per_day?: number;
  total?: number;
}

export interface MandateEntry {
  /** Exact, never a pattern. */
  action: string;
  constraints: Constraint[];
  limits: { uses: { total: number; per_day?: number }; amounts?: AmountLimit[] };
}

/** A step of a plan, used once: with exact parameters, or with constraints. */
export type MandateStep =
  | { action: string; params: JsonObject }
  | { action: string; constraints: Constraint[] };

interface MandateFrame {
  /** ISO 8601 in UTC. Absent: begins with its approval. */
  starts_at?: string;
  ends_at: string;
  /** The UTC time at which each 24-hour day of the limits begins, e.g. `22:00Z`. Default: `00:00Z`. */
  day_starts_at?: string;
}

export interface StandingMandate extends MandateFrame {
  entries: MandateEntry[];
}

export interface PlanMandate extends MandateFrame {
  steps: MandateStep[];
  ordered?: true;
  /** Default: `stop`. */
  on_failure?: 'stop' | 'continue';
}

export type MandateDocument = StandingMandate | PlanMandate;

/** Actions of the gate itself begin with this word, in any case. No request, rule or mandate may name one. */
const OWN_ACTIONS = /^permitry\./i;

/** @example isReservedAction('Permitry.mandate') // true */
export function isReservedAction(action: string): boolean {
  return OWN_ACTIONS.test(action);
}

export const MANDATE_LIMITS = {
  entries: 20,
  constraints: 64,
  amounts: 4,
  uses: 10_000,
  steps: 200,
  oneOf: 50,
  items: 1000,
  days: 31,
} as const;
