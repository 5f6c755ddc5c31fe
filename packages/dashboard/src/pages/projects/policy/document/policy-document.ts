/** A policy document as the pages read it. Only the gate validates it; here it may be half written. */
import type { JsonObject } from '@permitry/protocol';

export type Effect = 'allow' | 'require_approval' | 'deny';
export type Words = string | readonly string[];

/** Settings that entries of `require` and of `default` share. */
interface EntryTerms {
  /** In live mode, approvals by programs also count. */
  programs?: boolean;
  /** Groups whose members a request may name in addition. */
  or_named?: readonly string[];
}

export interface RequirementEntry extends EntryTerms {
  from: readonly string[];
  count: number;
}

export interface PolicyRule {
  name: string;
  match?: { action?: Words; risk_tier?: Words; source_type?: Words; source?: Words };
  when?: string;
  effect: Effect;
  reason?: string;
  require?: readonly RequirementEntry[];
  risk_tier?: string;
  proof_tier?: string;
  expires_in?: number;
  permit_ttl?: number;
}

export interface PolicyDocument {
  name: string;
  default: { approvers: readonly string[]; min_approvals?: number } & EntryTerms;
  /** Whether a request may choose among the required approvers. Default: true. */
  requester_may_narrow?: boolean;
  rules: readonly PolicyRule[];
}

/** The alternatives in a member of `match`: a list, a text joined by `|`, or both. */
export function alternativesOf(words: Words | undefined): string[] {
  if (words === undefined) return [];
  const texts = typeof words === 'string' ? [words] : words;
  return texts.flatMap((text) => text.split('|')).map((text) => text.trim());
}

/**
 * The value as a document if it is close enough to show as rules, else undefined. A half-written rule may lack any
 * member, so readers check for each.
 */
export function asPolicyDocument(value: unknown): PolicyDocument | undefined {
  if (!isObject(value) || !isObject(value.default) || !Array.isArray(value.rules)) return undefined;
  const { approvers } = value.default;
  if (!Array.isArray(approvers) || !approvers.every((name) => typeof name === 'string')) return undefined;
  if (!hasSoundTerms(value.default)) return undefined;
  return value.rules.every(isRule) ? (value as unknown as PolicyDocument) : undefined;
}

const EFFECTS: readonly unknown[] = ['allow', 'require_approval', 'deny'];

function isRule(value: unknown): boolean {
  if (!isObject(value) || typeof value.name !== 'string' || !EFFECTS.includes(value.effect)) return false;
  const { match = {}, when = '', reason = '', require = [] } = value;
  return (
    isObject(match) &&
    Object.values(match).every(isWords) &&
    typeof when === 'string' &&
    typeof reason === 'string' &&
    Array.isArray(require) &&
    require.every(
      (entry) =>
        isObject(entry) &&
        Array.isArray(entry.from) &&
        isWords(entry.from) &&
        Number.isInteger(entry.count) &&
        hasSoundTerms(entry),
    )
  );
}

function hasSoundTerms({ or_named = [] }: JsonObject): boolean {
  return Array.isArray(or_named) && isWords(or_named);
}

function isWords(value: unknown): boolean {
  return (
    typeof value === 'string' || (Array.isArray(value) && value.every((word) => typeof word === 'string'))
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
